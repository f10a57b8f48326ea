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
	present uint32            // the bits of those that may have had something when it was looked at last
	running Priority          // what was picked last
	inTurn  bool              // and by a turn
}

// Next returns the priority to take something from. present has the bits (1<<p) of those that may have something, one at
// least.
func (t *Turns) Next(present uint32) Priority {
	t.notePresent(present)
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
func (t *Turns) notePresent(present uint32) {
	t.present = present
	for _, pr := range byRank[1:] {
		if present&pr.bit() == 0 {
			t.forfeit(pr)
		}
	}
}

// Ran counts n operations of the priority that was picked.
func (t *Turns) Ran(n int) {
	k := int32(min(n, mostCounted))
	for _, pr := range byRank[1:] {
		switch {
		case pr != t.running && t.present&pr.bit() == 0:
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
func (t *Turns) forfeit(pr Priority) { t.waited[pr] = min(t.waited[pr], 0) }
