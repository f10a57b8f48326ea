package sched

// operationCount is the state of a processor's counters when countRan last read them.
type operationCount struct {
	operations int
	steps      uint64
}

// countRan counts the operations since its last call. A task that never calls Spend is one
// operation. If more than one task ran since then, the processor picked the later ones without
// asking turns. It does so only if no priority but Normal was present, so no other has waited.
// Owner only.
func (p *Processor) countRan() {
	now := operationCount{p.yieldTimer.operations(), p.counters.steps.Load()}
	steps := now.steps - p.counted.steps
	if steps > 1 {
		p.turns.notePresent(Normal.bit())
	}
	if n := max(now.operations-p.counted.operations, int(steps)); n > 0 {
		p.turns.Ran(n)
	}
	p.counted = now
}

// uncounted is a bit of held. It says that a task of another priority than Normal was picked and
// that its operations are not counted yet. next must then count them, even if only Normal is left;
// otherwise the turn would be free. The bit lies in held because next reads that word anyway.
const uncounted = 1 << 30

// GiveWay reports whether a task of priority pr that does several operations in a row should queue
// itself now and return: because a task of higher priority waits, a lower priority is due, or, at
// Normal, the inbox has not been looked at; or, where operations are long, because another one of
// Normal waits. If only Normal is present it costs four loads. By the running task only.
func (p *Processor) GiveWay(pr Priority) bool {
	if pr == Normal && (p.held|p.scheduler.board.word.Load())&^uncounted == 0 {
		return p.normalDue()
	}
	return p.mustGiveWay(pr)
}

// mustGiveWay is GiveWay if pr is not Normal, or if other priorities than Normal are present.
func (p *Processor) mustGiveWay(pr Priority) bool {
	switch {
	case pr != High && p.HighWaits():
		return true
	case pr == Normal && p.normalDue():
		return true
	case Normal.Before(pr) && (p.normalWaits() || pr == Idle && p.mayHave(Low)):
		return true
	}
	if t := &p.turns; pr.Before(t.running) { // a unit's task also runs messages of higher priority
		p.countRan()
		t.turnTo(pr)
	}
	p.countRan()
	p.turns.notePresent(p.present())
	if p.turns.inTurn {
		return false
	}
	for _, lower := range byRank[rank[pr]+1:] {
		if !p.turns.due(lower) {
			continue
		}
		if p.mayHave(lower) || lower == Normal && p.normalWaits() {
			return true
		}
		p.turns.forfeit(lower)
	}
	return false
}

// normalDue reports whether it is time to look at what else waits of Normal, and a task is there.
// If operations are long, that is anything that this processor reaches, otherwise the inbox. The
// other priorities announce injected tasks on the board, which every step reads. A look at the
// inbox of Normal must come more often than a turn of Low, or tasks injected as Normal would come
// after those of Low. Owner only.
func (p *Processor) normalDue() bool {
	if p.yieldTimer.lookUp {
		p.yieldTimer.lookUp = p.normalWaits() // until next has looked into the inbox
		return p.yieldTimer.lookUp
	}
	now := p.yieldTimer.operations()
	if now-p.inboxChecked < inboxTurn {
		return false
	}
	if !p.scheduler.inbox.Empty() {
		return true
	}
	p.inboxChecked = now
	return false
}

// normalWaits reports whether a task of Normal waits here or in the inbox. Owner only.
func (p *Processor) normalWaits() bool {
	return p.handed != nil || p.slot.filled() || p.level.hasWork() || !p.scheduler.inbox.Empty()
}
