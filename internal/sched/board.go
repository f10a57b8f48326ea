package sched

import (
	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// Source:     our own; the order of steps is that of a parker and a waker (parking.go)
// Sketch:     add:     inbox.Add; if the bit is down: raise it
//             collect: lower the bit; inbox.TakeAll
//             look:    steal; if nothing: lower the bit, steal again; if something now: raise it
// Invariants: I1 While an inbox holds a task, its bit is up, or some goroutine is about to raise
//                the bit or to collect.
//             I2 The same holds for highElsewhere and the processors' levels of High.
//             NOT invariant: that there is a task while a bit is up.
// Progress:   raise and lower are lock-free. A processor that stalls between lowering a bit and
//             looking hides the newest tasks from the others until the next raise. Such tasks come
//             late but are never lost: parkers and searchers do not rely on the board.
// Cost:       one load per step while no bit is up; one atomic operation per change of a bit
// Checked by: TestExploreBoard

// board tells all processors, in one word that is mostly read, which priorities other than Normal
// have tasks outside of the reader's own queues. It also holds the inboxes of these priorities.
type board struct {
	_       pad.Line
	word    atomics.Uint32 // the bit of each priority whose inbox holds tasks, and highElsewhere
	_       pad.Line
	inboxes [priorities]mailbox.Inbox // that of Normal is Scheduler.inbox
}

// highElsewhere says that some processor's level of High holds tasks. It takes the bit of Normal,
// whose inbox has none.
const highElsewhere = 1 << Normal

// raise sets a bit, after the task that it announces has become visible. Any goroutine.
func (b *board) raise(bit uint32) {
	if b.word.Load()&bit == 0 {
		b.word.Or(bit)
	}
}

// lower clears a bit, before the caller looks for the tasks that the bit announces. Any goroutine.
func (b *board) lower(bit uint32) {
	if b.word.Load()&bit != 0 {
		b.word.And(^bit)
	}
}

// add is Scheduler.add for a priority other than Normal.
func (b *board) add(pr Priority, newest, oldest *Task) {
	b.inboxes[pr].AddChain(&newest.Node, &oldest.Node)
	b.raise(pr.bit())
}

// collect takes all tasks from the inbox of a priority other than Normal, oldest first; nil if it
// is empty. Any goroutine.
func (b *board) collect(pr Priority) *mailbox.Node {
	b.lower(pr.bit())
	return b.inboxes[pr].TakeAll()
}

// hasWork reports whether an inbox of the board holds tasks. Any goroutine.
func (b *board) hasWork() bool {
	return !b.inboxes[High].Empty() || !b.inboxes[Low].Empty() || !b.inboxes[Idle].Empty()
}
