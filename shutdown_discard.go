package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sched"
)

// Once the scheduler has stopped, tasks that are queued are discarded: letters fail, units have theirs fail. That may make other tasks ready: a
// unit that was held by a message to several units, the operations that waited for a future. They are put aside, and discarded by who
// began, one after another: a chain of them, of any length, needs no stack.

func discardMessage(t *sched.Task) {
	s := (*message)(unsafe.Pointer(t)).unit.rt.discarder()
	s.failMessage(t)
	s.discardOrphans()
}

func discardUnit(t *sched.Task) {
	s := unitOf(t).rt.discarder()
	s.failUnit(unitOf(t))
	s.discardOrphans()
}

// discarder returns a seat for somebody who discards tasks.
func (rt *Runtime) discarder() *worker {
	s := rt.detachedWorker()
	s.orphans = new(mailbox.Chain)
	return s
}

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

// failUnit fails the letters of a unit whose mailbox is the caller's. As drain does, it claims the unit once that has lanes: what it fails may leave
// the unit to others, who expect a claim when they let it go on.
func (s *worker) failUnit(u *unit) {
	for {
		if x := u.priorityMailboxes(); x != nil {
			if x.join() || x.claim(Normal) {
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

// failExpress fails the letters of a lane whose mailbox is the caller's, and of the others that it gets with the claim. If another has that, an operation
// that does not return, they are its.
func (s *worker) failPriorityMailbox(e *priorityMailbox) {
	if x := e.lanes; x.claim(x.priorityOf(e)) {
		s.failPriorityMailboxes(x)
	}
}

// failLanes fails the letters of a unit whose lanes the caller holds.
func (s *worker) failPriorityMailboxes(x *priorityMailboxes) {
	for {
		_, l, later := x.next(s)
		if !later && (l == nil || !s.failTaken(x.unit, l)) {
			return
		}
	}
}

// failTaken fails a letter that the caller has dequeued as the unit's owner, and reports whether the unit is the caller's still.
func (s *worker) failTaken(u *unit, l *message) bool {
	switch u.take(s, l) {
	case ready:
		l.vtable().fail(s, l, ErrClosed)
	case gone:
		return false
	}
	return true
}
