package sched

// operationCount says up to where a processor has counted its operations.
type operationCount struct {
	operations int
	steps      uint64
}

// countRan counts the operations since its last call. A task that never calls Spend is one
// operation. If more than one task ran since then, Turns was not asked for the later ones: nothing
// but Normal was present, and no other priority has waited. Owner only.
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

// uncounted is a bit of held: a task of another priority than Normal was picked, so next must
// count what it ran, even if nothing but Normal is left; otherwise the turn would cost nothing. It
// lies in held because next reads that word anyway.
const uncounted = 1 << 30

// GiveWay reports whether a task of priority pr that does several operations in a row should queue
// itself now and return: because something better waits, a lower priority is due, or, at Normal,
// the inbox has not been looked at. With nothing but Normal around it costs four loads. By the
// running task only.
func (p *Processor) GiveWay(pr Priority) bool {
	if pr == Normal && (p.held|p.scheduler.board.word.Load())&^uncounted == 0 {
		return p.inboxDue()
	}
	return p.mustGiveWay(pr)
}

// mustGiveWay is GiveWay for when other priorities than Normal are present, or pr is another one.
func (p *Processor) mustGiveWay(pr Priority) bool {
	switch {
	case pr != High && p.HighWaits():
		return true
	case pr == Normal && p.inboxDue():
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

// inboxDue reports whether it is time to look into the inbox of Normal and a task is there. The
// other priorities announce injected tasks on the board, which every step reads. A look at the
// inbox of Normal must come more often than a turn of Low, or tasks injected as Normal would come
// after those of Low. Owner only.
func (p *Processor) inboxDue() bool {
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
