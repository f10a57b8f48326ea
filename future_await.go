package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Await waits until the future has an outcome and returns it, as [Future.Wait] does for ordinary
// goroutines. The activity a is suspended meanwhile, and keeps no processor. If the scope of the
// activity is canceled first, Await returns the error of that, and leaves nothing in the future
// that grows with the number of such waits. Await takes no context: an activity that is to give up
// earlier, say at a deadline, starts another one in a scope with that deadline, which awaits, and
// waits for its end (see the example). Only the activity's own goroutine may call Await; it panics
// elsewhere. It allocates in the first wait of the activity's stack, and may allocate in the wait
// after one that was given up; other waits do not.
func (f Future[R]) Await(a *activity.Activity) (R, error) {
	if f.cell != nil && !f.cell.promised.closedNow() {
		if err := f.cell.promised.awaitIn(a); err != nil {
			return *new(R), err
		}
	}
	return f.Result()
}

// awaiter is an activity that waits for a future. It is in one of two places: in the future's
// list, as a message of its own, or among the members of the future's audience. That audience is
// a part of some awaiter, perhaps of this one, or stands alone. A stack has one awaiter, and uses
// it again.
//
// The activity suspends itself; the finalizer then enters the awaiter for it
// (activity/waiter.go). The finalizer's steps may overlap with the steps of an activity that
// gives up:
//
//	A1  the finalizer changes waiter from nil  G1  the activity gives up: it changes waiter to
//	    to the activity's waiter; if waiter        gaveUp; if waiter was nil, A1 will fail, or
//	    is gaveUp, it stops here                   the awaiter is being woken: it stops here
//	A2  it puts the awaiter into the list, if  G2  under the lock of the share, it drops the
//	    that is empty; or, under the lock of       awaiter from the audience, if the audience
//	    the share and unless waiter is gaveUp      is still in the table
//	    now, makes it a member of the audience
//	W   the waker changes waiter to nil, and
//	    grants the waiter that was there
//
// A2 on an audience and G2 exclude each other by the lock.
// A2 on the list needs no G2, because nothing leaves the list.
// So no awaiter that has given up stays in an audience.
//
// The finalizer does not touch the awaiter after A2.
// So the awaiter may be used again after W.
// It may be used again after G2 has dropped it, unless its own message is the audience's in the
// list.
type awaiter struct {
	audience
	waiter  atomics.Pointer[activity.Waiter]
	suspend func(*activity.Waiter) // the method enter, bound once

	// under the lock of the share
	// The audience that this is a member of. It must not be read once it is out of the table.
	within         *audience
	next, previous *awaiter
}

// gaveUp is the waiter of an awaiter whose activity has given up.
var gaveUp activity.Waiter

func newAwaiter(u *unit) *awaiter {
	w := &awaiter{}
	w.unit = u
	w.suspend = w.enter
	return w
}

func wakeAwaiter(_ *worker, m *message) { (*awaiter)(unsafe.Pointer(m)).wake() }

// wake ends the wait, unless the activity has given up.
func (w *awaiter) wake() {
	if waiter := w.waiter.Swap(nil); waiter != nil && waiter != &gaveUp { // W
		waiter.Grant()
	}
}

// awaitIn is [Future.Await] for a promise without an outcome.
func (m *promised) awaitIn(a *activity.Activity) error {
	on := activities.StackOf(a)
	if on == nil {
		if a == nil {
			panic("freerun: Await with a nil Activity; an activity is passed its own")
		}
		panic("freerun: Await by another goroutine than the activity's own; ordinary goroutines call Wait, and operations pass futures on")
	}
	return m.awaitBy(a, ownSlot(a, on))
}

func (m *promised) awaitBy(a *activity.Activity, r *activitySlot) (err error) {
	w := r.awaits
	if w == nil {
		w = newAwaiter(r.message.unit)
	}
	r.awaits, r.awaiting = nil, m
	w.future, w.within = m, nil
	done := false
	defer func() { // runs also if the activity is being ended
		r.awaiting = nil
		if done || w.giveUp() {
			w.future = nil
			r.awaits = w
		}
	}()
	err = activity.Wait(a, 0, w.suspend)
	done = err == nil
	return err
}

// enter has w woken, by way of waiter, once the future has an outcome. It is the finalizer's half.
func (w *awaiter) enter(waiter *activity.Waiter) {
	m := w.future
	rt := m.unit.rt
	if !w.waiter.CompareAndSwap(nil, waiter) { // A1
		return
	}
	if rt == w.unit.rt && m.Idle() {
		w.become(awaiterVtable)
		if m.PushFirst(&w.Node) { // A2
			return
		}
	}
	s := rt.audiences.lock(m)
	if w.waiter.Load() == &gaveUp {
		s.unlock()
		return
	}
	a := s.of[m]
	if a == nil {
		w.become(audienceVtable)
		if !s.enter(&w.audience) {
			s.unlock()
			w.wake()
			return
		}
		a = &w.audience
	}
	a.add(w) // A2
	s.unlock()
	if rt.phase.Load() == ended {
		m.abandon()
	}
}

// giveUp takes w out of the place where it waits, and reports whether w may be used again.
func (w *awaiter) giveUp() bool {
	m := w.future
	if w.waiter.Swap(&gaveUp) == nil { // G1
		return false
	}
	s := m.unit.rt.audiences.lock(m)
	a := w.within
	// Without an audience, w is in the list, or not in it yet, and then never will be. With an
	// audience that is out of the table, w is being woken.
	if a == nil || s.of[m] != a {
		s.unlock()
		return false
	}
	a.drop(w) // G2
	s.unlock()
	if a == &w.audience {
		return false
	}
	w.waiter.Store(nil)
	return true
}
