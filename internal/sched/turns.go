package sched

// The shares of the lower levels. While a higher level never runs dry, a level still gets one of so many operations of a
// processor that holds, or can reach, something of it. They are shares of operations, not of time.
const (
	normalTurn = 8   // of a flood of High
	lowTurn    = 32  // of a flood of Normal, or High
	idleTurn   = 256 // of a flood of anything else
)

const (
	// turnBatch is how many operations a turn costs at most: a task that cannot stop sooner does not wait without end.
	turnBatch = 16
	// turnArrears is how many operations beyond those that make it due a level is known to have waited for.
	turnArrears = 64
	// mostCounted is how many operations are counted at a time: more than any turn costs.
	mostCounted = 1 << 20
)

// othersOf has for each priority how many operations of others it waits for.
var othersOf = [priorities]int32{Normal: normalTurn - 1, Low: lowTurn - 1, Idle: idleTurn - 1}

// betterThan has for each priority the bits of those that come before it.
var betterThan = [priorities]uint32{
	Normal: 1 << High,
	Low:    1<<High | 1<<Normal,
	Idle:   1<<High | 1<<Normal | 1<<Low,
}

// Turns shares a processor, or a unit, among priorities: it says what comes next, and is told what ran.
//
// The rules, after stride scheduling (C. Waldspurger and W. Weihl, 1995):
//
//	a level of share 1/n is due when n−1 operations of others have run since its last turn
//	a turn in which it runs k operations costs it (n−1)·k, which it waits for before it is due again
//	what it runs because nothing better is there is no turn, and costs nothing
//	a level waits only while it has something: what ran before it had counts for none of it
//	no two turns follow each other, so what is High waits for one at most
//
// The zero value can be used. One goroutine at a time.
type Turns struct {
	waited  [priorities]int32 // operations of others; below zero: what the last turn still costs
	there   uint32            // the bits of those that may have had something when it was looked at last
	running Priority          // what was picked last
	inTurn  bool              // and by a turn
}

// Next returns the priority to take something from. present has the bits (1<<p) of those that may have something, one at
// least.
func (t *Turns) Next(present uint32) Priority {
	t.see(present)
	if !t.inTurn {
		for _, pr := range [...]Priority{Idle, Low, Normal} {
			if t.due(pr) && present&pr.bit() != 0 && present&betterThan[pr] != 0 {
				t.running, t.inTurn = pr, true
				return pr
			}
		}
	}
	for _, pr := range byRank {
		if present&pr.bit() != 0 {
			t.running, t.inTurn = pr, false
			break
		}
	}
	return t.running
}

// see notes which priorities may have something.
func (t *Turns) see(present uint32) {
	t.there = present
	for _, pr := range byRank[1:] {
		if present&pr.bit() == 0 {
			t.lose(pr)
		}
	}
}

// Ran counts n operations of the priority that was picked.
func (t *Turns) Ran(n int) {
	k := int32(min(n, mostCounted))
	for _, pr := range byRank[1:] {
		switch {
		case pr != t.running && t.there&pr.bit() == 0:
			t.waited[pr] = min(t.waited[pr]+k, 0)
		case pr != t.running:
			t.waited[pr] = min(t.waited[pr]+k, othersOf[pr]+turnArrears)
		case t.inTurn:
			t.waited[pr] -= othersOf[pr] * min(k, turnBatch)
		default:
			t.waited[pr] = 0
		}
	}
}

// turnTo says that pr is what runs, though Next has not said so.
func (t *Turns) turnTo(pr Priority) {
	if t.running != pr {
		t.running, t.inTurn = pr, false
	}
}

// due reports whether it is the turn of a priority, which is not High.
func (t *Turns) due(pr Priority) bool { return t.waited[pr] >= othersOf[pr] }

// lose takes away from a priority that has nothing what it has waited.
func (t *Turns) lose(pr Priority) { t.waited[pr] = min(t.waited[pr], 0) }

// tally is how far a processor has counted its operations.
type tally struct {
	operations int
	steps      uint64
}

// countRan counts the operations since it was called last. A task that never calls Spend is one operation. If there was a task
// that Turns was not asked for, nothing but Normal was around when that was picked, and no other priority has waited. Owner only.
func (p *Processor) countRan() {
	now := tally{p.breath.operations(), p.counters.steps.Load()}
	steps := now.steps - p.tally.steps
	if steps > 1 {
		p.turns.see(Normal.bit())
	}
	if n := max(now.operations-p.tally.operations, int(steps)); n > 0 {
		p.turns.Ran(n)
	}
	p.tally = now
}

// uncounted is a bit of held beside those of the priorities: a task of another priority than Normal was picked, so next, which looks at that
// word anyway, is to count what it has run, though nothing but Normal may be left. A turn would cost nothing otherwise.
const uncounted = 1 << 30

// GiveWay reports whether a task of priority pr that does several operations, one after another, is to queue itself now and
// return: as something better waits, or a lower priority is due, or, at Normal, something from outside has not been looked at. With
// nothing but Normal around, it costs four loads. By the running task only.
func (p *Processor) GiveWay(pr Priority) bool {
	if pr == Normal && (p.held|p.scheduler.board.word.Load())&^uncounted == 0 {
		return p.inboxCalls()
	}
	return p.othersCome(pr)
}

func (p *Processor) othersCome(pr Priority) bool {
	switch {
	case pr != High && p.HighWaits():
		return true
	case pr == Normal && p.inboxCalls():
		return true
	case Normal.Before(pr) && (p.normalWaits() || pr == Idle && p.mayHave(Low)):
		return true
	}
	if t := &p.turns; pr.Before(t.running) { // a unit's task also runs what is of more priority
		p.countRan()
		t.turnTo(pr)
	}
	p.countRan()
	p.turns.see(p.present())
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
		p.turns.lose(lower)
	}
	return false
}

// inboxCalls reports whether it is time to look into the inbox of Normal, and something is there. What has a priority of its own is on the board, at which a
// processor looks all the time: were the inbox looked at more rarely than a turn of Low comes, what is injected as Normal would come after it. Owner
// only.
func (p *Processor) inboxCalls() bool {
	now := p.breath.operations()
	if now-p.looked < inboxTurn {
		return false
	}
	if !p.scheduler.inbox.Empty() {
		return true
	}
	p.looked = now
	return false
}

// normalWaits reports whether there is a task of Normal here, or in the inbox. Owner only.
func (p *Processor) normalWaits() bool {
	return p.handed != nil || p.slot.filled() || p.level.hasWork() || !p.scheduler.inbox.Empty()
}
