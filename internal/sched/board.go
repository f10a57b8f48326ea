package sched

import (
	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// Source:     our own; the order of steps is that of a parker and a waker (gate.go)
// Sketch:     add:     inbox.Add; if the bit is down: raise it
//             collect: lower the bit; inbox.TakeAll
//             look:    steal; if nothing: lower the bit, steal again; if something now: raise it
// Invariants: I1 while an inbox holds something its bit is up, or somebody is about to raise it, or to collect. I2 the same for
//             highElsewhere and the processors' levels of High. NOT invariant: that there is something when a bit is up.
// Progress:   raise and lower are lock-free. Whoever stalls between lowering and looking keeps from the others what came just before,
//             until somebody raises the bit again: work that is late, never lost, as parkers and searchers do not go by the board.
// Cost:       one load a step while no bit is up; one atomic operation for each time that a bit changes
// Checked by: TestExploreBoard

// board shows to all processors, in one word that is mostly read, where there is something of priorities other than Normal that does not
// lie in the reader's own queues; and it has what was injected of these priorities.
type board struct {
	_       pad.Line
	word    atomics.Uint32 // the bit of a priority: its inbox; highElsewhere
	_       pad.Line
	inboxes [priorities]mailbox.Inbox // that of Normal is the scheduler's own
}

// highElsewhere says that some processor holds tasks of High. It has the place of Normal, whose inbox has no bit.
const highElsewhere = 1 << Normal

// raise puts up a bit. Any goroutine, after what it stands for has become visible.
func (b *board) raise(bit uint32) {
	if b.word.Load()&bit == 0 {
		b.word.Or(bit)
	}
}

// lower takes a bit down. Any goroutine, before it looks for what the bit stands for.
func (b *board) lower(bit uint32) {
	if b.word.Load()&bit != 0 {
		b.word.And(^bit)
	}
}

// add puts a list of tasks that leads from newest down to oldest into the inbox of a priority. Any goroutine.
func (s *Scheduler) add(pr Priority, newest, oldest *Task) {
	if pr == Normal {
		s.inbox.AddChain(&newest.Node, &oldest.Node)
		return
	}
	s.board.add(pr, newest, oldest)
}

func (b *board) add(pr Priority, newest, oldest *Task) {
	b.inboxes[pr].AddChain(&newest.Node, &oldest.Node)
	b.raise(pr.bit())
}

// collect takes all that is in the inbox of a priority, but for Normal, oldest first; nil if there is nothing. Any goroutine.
func (b *board) collect(pr Priority) *mailbox.Node {
	b.lower(pr.bit())
	return b.inboxes[pr].TakeAll()
}

// hasWork reports whether something was injected. Any goroutine.
func (b *board) hasWork() bool {
	return !b.inboxes[High].Empty() || !b.inboxes[Low].Empty() || !b.inboxes[Idle].Empty()
}
