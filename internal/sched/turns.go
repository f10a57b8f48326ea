package sched

// The shares of the lower priorities. Each is a number n: while a higher priority never runs dry,
// the lower one still gets one operation in n, on each processor that holds a task of it or can
// reach one. The shares count operations, not time.
const (
	normalTurn = 8   // under a flood of High
	lowTurn    = 32  // under a flood of Normal or High
	idleTurn   = 256 // under a flood of anything else
)

const (
	// turnBatch is how many operations of a turn are charged at most, so that a task that cannot
	// stop sooner does not have to wait without end for its next turn.
	turnBatch = 16
	// turnArrears is how many operations beyond its due a waiting priority is credited with at
	// most.
	turnArrears = 64
	// mostCounted is how many operations are counted at once at most: more than any turn is
	// charged.
	mostCounted = 1 << 20
)

// othersOf holds for each priority how many operations of other priorities make it due.
var othersOf = [priorities]int32{Normal: normalTurn - 1, Low: lowTurn - 1, Idle: idleTurn - 1}

// betterThan holds for each priority the bits of those that come before it.
var betterThan = [priorities]uint32{
	Normal: 1 << High,
	Low:    1<<High | 1<<Normal,
	Idle:   1<<High | 1<<Normal | 1<<Low,
}

// Turns shares a processor, or a unit, among priorities. Next says which priority comes next; Ran
// tells it how much has run.
//
// The rules, after stride scheduling (C. Waldspurger and W. Weihl, 1995):
//
//	A priority of share 1/n is due when n−1 operations of others have run since it ran last.
//	A turn in which it runs k operations costs it n−1 operations of others for each, but for
//	no more than turnBatch of them: it is due again when these have run.
//	An operation that it runs because nothing better is there is no turn, and costs nothing.
//	While it has no task, operations of others pay off its last turn, and count no further.
//	No two turns follow each other, so a task of High waits for one turn at most.
//
// The zero value is ready for use. One goroutine at a time.
type Turns struct {
	waited  [priorities]int32 // operations of others; negative: what the last turn still costs
	present uint32            // bits of the priorities that may have had tasks at the last look
	running Priority          // picked last
	inTurn  bool              // running was picked by a turn
}

// Next returns the priority to take a task from. present holds the bits (1<<p) of the priorities
// that may have one; at least one must be set.
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

// notePresent notes which priorities may have tasks.
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

// turnTo notes that pr runs, though Next has not returned it.
func (t *Turns) turnTo(pr Priority) {
	if t.running != pr {
		t.running, t.inTurn = pr, false
	}
}

// due reports whether a priority other than High is due.
func (t *Turns) due(pr Priority) bool { return t.waited[pr] >= othersOf[pr] }

// forfeit takes the accumulated wait from a priority that has no task.
func (t *Turns) forfeit(pr Priority) { t.waited[pr] = min(t.waited[pr], 0) }
