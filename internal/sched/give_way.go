package sched

// tally is how far a processor has counted its operations.
type operationCount struct {
	operations int
	steps      uint64
}

// countRan counts the operations since it was called last. A task that never calls Spend is one operation. If there was a task
// that Turns was not asked for, nothing but Normal was around when that was picked, and no other priority has waited. Owner only.
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

// uncounted is a bit of held beside those of the priorities: a task of another priority than Normal was picked, so next, which looks at that
// word anyway, is to count what it has run, though nothing but Normal may be left. A turn would cost nothing otherwise.
const uncounted = 1 << 30

// GiveWay reports whether a task of priority pr that does several operations, one after another, is to queue itself now and
// return: as something better waits, or a lower priority is due, or, at Normal, something from outside has not been looked at. With
// nothing but Normal around, it costs four loads. By the running task only.
func (p *Processor) GiveWay(pr Priority) bool {
	if pr == Normal && (p.held|p.scheduler.board.word.Load())&^uncounted == 0 {
		return p.inboxDue()
	}
	return p.mustGiveWay(pr)
}

func (p *Processor) mustGiveWay(pr Priority) bool {
	switch {
	case pr != High && p.HighWaits():
		return true
	case pr == Normal && p.inboxDue():
		return true
	case Normal.Before(pr) && (p.normalWaits() || pr == Idle && p.mayHave(Low)):
		return true
	}
	if t := &p.turns; pr.Before(t.running) { // a unit's task also runs what is of more priority
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

// inboxCalls reports whether it is time to look into the inbox of Normal, and something is there. What has a priority of its own is on the board, at which a
// processor looks all the time: were the inbox looked at more rarely than a turn of Low comes, what is injected as Normal would come after it. Owner
// only.
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

// normalWaits reports whether there is a task of Normal here, or in the inbox. Owner only.
func (p *Processor) normalWaits() bool {
	return p.handed != nil || p.slot.filled() || p.level.hasWork() || !p.scheduler.inbox.Empty()
}
