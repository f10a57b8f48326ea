package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sched"
)

// When the scheduler has stopped, it discards the queued tasks. A discarded message fails. A
// discarded unit fails the messages in its mailbox.
//
// A failure may make other tasks ready: a unit that a message to several units held, or a message
// that waited for the failed future. The worker of the discarding goroutine puts these aside in
// orphans. The outermost call discards them, one after another: a chain of any length needs no
// stack.

// discardMessage fails a message that is a task itself.
func discardMessage(t *sched.Task) {
	s := (*message)(unsafe.Pointer(t)).unit.rt.discarder()
	s.failMessage(t)
	s.discardOrphans()
}

// discardUnit fails the messages of a unit.
func discardUnit(t *sched.Task) {
	s := unitOf(t).rt.discarder()
	s.failUnit(unitOf(t))
	s.discardOrphans()
}

// discarder returns a detached worker for a goroutine that discards tasks.
func (rt *Runtime) discarder() *worker {
	s := rt.detachedWorker()
	s.orphans = new(mailbox.Chain)
	return s
}

// discardOrphans discards the tasks that became ready meanwhile, until there are none.
func (s *worker) discardOrphans() {
	for n := s.orphans.PopFront(); n != nil; n = s.orphans.PopFront() {
		t := (*sched.Task)(unsafe.Pointer(n))
		switch {
		case isUnit(t):
			s.failUnit(unitOf(t))
		case t.Kind == &priorityMailboxVtable:
			s.failPriorityMailbox(priorityMailboxOf(t))
		default:
			s.failMessage(t)
		}
	}
}

func (s *worker) failMessage(t *sched.Task) {
	l := (*message)(unsafe.Pointer(t))
	l.vtable().fail(s, l, ErrClosed)
}

// failUnit fails the messages of a unit whose mailbox the caller owns. If the unit has priority
// mailboxes, failUnit claims the unit, as drain does: a message that it fails may hand the unit
// over to another goroutine, which expects a claim when it lets the unit go on.
func (s *worker) failUnit(u *unit) {
	for {
		if x := u.priorityMailboxes(); x != nil {
			if x.claim.Join(uint8(sched.Normal)) || x.claim.Claim(uint8(sched.Normal)) {
				s.failPriorityMailboxes(x)
			}
			return
		}
		l, later := u.next(s)
		if !later && (l == nil || !s.failTaken(u, l)) {
			return
		}
	}
}

// failPriorityMailbox fails the messages of a priority mailbox that the caller owns, and of the
// unit's others, which come with the claim on the unit. If the claim is taken, by an operation that
// does not return, the messages belong to the holder of the claim.
func (s *worker) failPriorityMailbox(e *priorityMailbox) {
	if x := e.all; x.claim.Claim(uint8(x.priorityOf(e))) {
		s.failPriorityMailboxes(x)
	}
}

// failPriorityMailboxes fails the messages of a unit on which the caller has the claim.
func (s *worker) failPriorityMailboxes(x *priorityMailboxes) {
	for {
		_, l, later := x.next(s)
		if !later && (l == nil || !s.failTaken(x.unit, l)) {
			return
		}
	}
}

// failTaken fails a message that the caller has dequeued as the unit's owner. It reports whether
// the caller still owns the unit.
func (s *worker) failTaken(u *unit, l *message) bool {
	switch u.take(s, l) {
	case ready:
		l.vtable().fail(s, l, ErrClosed)
	case gone:
		return false
	}
	return true
}
