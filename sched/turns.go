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
//	a level that is due and has nothing loses its turn
//	no two turns follow each other, so what is High waits for one at most
//
// The zero value can be used. One goroutine at a time.
type Turns struct {
	waited  [priorities]int32 // operations of others; below zero: what the last turn still costs
	running Priority          // what was picked last
	inTurn  bool              // and by a turn
}

// Next returns the priority to take something from. present has the bits (1<<p) of those that may have something, one at
// least.
func (t *Turns) Next(present uint32) Priority {
	if !t.inTurn {
		for _, pr := range [...]Priority{Idle, Low, Normal} {
			if !t.due(pr) {
				continue
			}
			if present&pr.bit() == 0 {
				t.lose(pr)
			} else if present&betterThan[pr] != 0 {
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

// Ran counts n operations of the priority that was picked.
func (t *Turns) Ran(n int) {
	k := int32(min(n, idleTurn+turnArrears))
	for _, pr := range byRank[1:] {
		switch {
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

// lose takes a turn away from a priority that has nothing.
func (t *Turns) lose(pr Priority) { t.waited[pr] = min(t.waited[pr], 0) }

// tally is how far a processor has counted its operations.
type tally struct {
	operations int
	steps      uint64
}

// countRan counts the operations since it was called last, unless there was a task that Turns was not asked for: only what
// runs while there are several priorities counts. A task that never calls Spend is one operation. Owner only.
func (p *Processor) countRan() {
	now := tally{p.breath.operations(), p.counters.steps.Load()}
	if steps := now.steps - p.tally.steps; steps <= 1 {
		if n := max(now.operations-p.tally.operations, int(steps)); n > 0 {
			p.turns.Ran(n)
		}
	}
	p.tally = now
}

// GiveWay reports whether a task of priority pr that does several operations, one after another, is to queue itself now and
// return, as something of High waits, or a lower priority is due. With nothing but Normal around, it costs two loads. By the
// running task only.
func (p *Processor) GiveWay(pr Priority) bool {
	return p.held|p.scheduler.board.word.Load() != 0 && p.othersCome(pr)
}

func (p *Processor) othersCome(pr Priority) bool {
	if pr != High && p.HighWaits() {
		return true
	}
	if t := &p.turns; pr.Before(t.running) { // a unit's task also runs what is of more priority
		p.countRan()
		t.turnTo(pr)
	}
	p.countRan()
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

// normalWaits reports whether there is a task of Normal here, or in the inbox. Owner only.
func (p *Processor) normalWaits() bool {
	return p.handed != nil || p.slot.filled() || p.level.hasWork() || !p.scheduler.inbox.Empty()
}
