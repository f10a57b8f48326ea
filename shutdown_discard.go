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
	w := (*message)(unsafe.Pointer(t)).unit.rt.discarder()
	w.failMessage(t)
	w.discardOrphans()
}

// discardUnit fails the messages of a unit.
func discardUnit(t *sched.Task) {
	w := unitOf(t).rt.discarder()
	w.failUnit(unitOf(t))
	w.discardOrphans()
}

// discarder returns a detached worker for a goroutine that discards tasks.
func (rt *Runtime) discarder() *worker {
	w := rt.detachedWorker()
	w.orphans = new(mailbox.Chain)
	return w
}

// discardOrphans discards the tasks that became ready meanwhile, until there are none.
func (w *worker) discardOrphans() {
	for n := w.orphans.PopFront(); n != nil; n = w.orphans.PopFront() {
		t := (*sched.Task)(unsafe.Pointer(n))
		switch {
		case isUnit(t):
			w.failUnit(unitOf(t))
		case t.Kind == &priorityMailboxVtable:
			w.failPriorityMailbox(priorityMailboxOf(t))
		default:
			w.failMessage(t)
		}
	}
}

func (w *worker) failMessage(t *sched.Task) {
	m := (*message)(unsafe.Pointer(t))
	m.vtable().fail(w, m, ErrClosed)
}

// failUnit fails the messages of a unit whose mailbox the caller owns. If the unit has priority
// mailboxes, failUnit claims the unit, as drain does: a message that it fails may hand the unit
// over to another goroutine, which expects a claim when it lets the unit go on.
func (w *worker) failUnit(u *unit) {
	for {
		if x := u.priorityMailboxes(); x != nil {
			if x.claim.Join(uint8(sched.Normal)) || x.claim.Claim(uint8(sched.Normal)) {
				w.failPriorityMailboxes(x)
			}
			return
		}
		m, later := u.next(w)
		if !later && (m == nil || !w.failTaken(u, m)) {
			return
		}
	}
}

// failPriorityMailbox fails the messages of a priority mailbox that the caller owns, and of the
// unit's others, which come with the claim on the unit. If the claim is taken, by an operation that
// does not return, the messages belong to the holder of the claim.
func (w *worker) failPriorityMailbox(e *priorityMailbox) {
	if x := e.all; x.claim.Claim(uint8(x.priorityOf(e))) {
		w.failPriorityMailboxes(x)
	}
}

// failPriorityMailboxes fails the messages of a unit on which the caller has the claim.
func (w *worker) failPriorityMailboxes(x *priorityMailboxes) {
	for {
		_, m, later := x.next(w)
		if !later && (m == nil || !w.failTaken(x.unit, m)) {
			return
		}
	}
}

// failTaken fails a message that the caller has dequeued as the unit's owner. It reports whether
// the caller still owns the unit.
func (w *worker) failTaken(u *unit, m *message) bool {
	switch u.take(w, m) {
	case ready:
		m.vtable().fail(w, m, ErrClosed)
	case gone:
		return false
	}
	return true
}
