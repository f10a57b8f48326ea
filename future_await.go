package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Await waits until the future has an outcome and returns it, as [Future.Wait] does for ordinary
// goroutines; the activity a is suspended meanwhile, and keeps no processor. If the scope of the
// activity is canceled before, it returns that error, and leaves nothing in the future that grows
// with how often that happens. There is no context: an activity that is to give up before, say at a
// deadline, starts another one in a scope with that deadline, which awaits, and waits for its end
// (the example). By the activity's own goroutine only; it panics elsewhere. It allocates nothing
// once the activity's stack has waited for a future before, and not given up.
func (f Future[R]) Await(a *activity.Activity) (R, error) {
	if f.cell != nil && !f.cell.closedNow() {
		on := activities.StackOf(a)
		if on == nil {
			if a == nil {
				panic("freerun: Await with a nil Activity; an activity is passed its own")
			}
			panic("freerun: Await by another goroutine than the activity's own; ordinary goroutines call Wait, and operations pass futures on")
		}
		if err := f.cell.awaitBy(a, roomOn(on)); err != nil {
			return *new(R), err
		}
	}
	return f.Result()
}

// awaiter is an activity that waits for a future. It is in one of two places: in the future's list, as a letter of its own, or among the members of the future's
// audience, which is a part of some awaiter, perhaps of this one. A stack has one, and uses it again.
//
// Its steps, of which those of the finalizer may come beside the others (activity/waiter.go):
//
//	A1  the finalizer changes waiter from nil to what ends the wait,  G1  who gives up changes waiter to gaveUp; if it was nil, A1
//	    unless it is gaveUp: then that is all                             fails, or the awaiter is being woken: that is all
//	A2  puts the awaiter into the list, if that is empty, or,         G2  under the lock of the share, it drops the awaiter from
//	    under the lock of the share, unless waiter is gaveUp now,         the audience, if that is in the table still
//	    makes it a member of the audience
//	W   who wakes it changes waiter to nil, and grants what was there
//
// A2 and G2 come one after the other, if not by the lock then since the list has no way out: so none that has given up stays in an audience. After A2 the finalizer touches the
// awaiter no more. So it may be used again after W, and after G2 if that has dropped it, unless its letter is what the audience has in the list.
type awaiter struct {
	audience
	waiter  atomics.Pointer[activity.Waiter]
	suspend func(*activity.Waiter) // enter, made once

	// under the lock of the share
	within         *audience // whose member it is; not to be looked at once that is out of the table
	next, previous *awaiter
}

var awaiterVtable = newVtable(vtable{name: "awaiter", wake: wakeAwaiter}, nil)

// gaveUp is the waiter of who has given up.
var gaveUp activity.Waiter

func newAwaiter(u *unit) *awaiter {
	w := &awaiter{}
	w.unit = u
	w.suspend = w.enter
	return w
}

func wakeAwaiter(_ *worker, l *message) { (*awaiter)(unsafe.Pointer(l)).wake() }

// wake ends the wait, unless it was given up.
func (w *awaiter) wake() {
	if waiter := w.waiter.Swap(nil); waiter != nil && waiter != &gaveUp { // W
		waiter.Grant()
	}
}

func (m *promise) awaitBy(a *activity.Activity, r *activitySlot) (err error) {
	w := r.awaits
	if w == nil {
		w = newAwaiter(r.letter.unit)
	}
	r.awaits, r.awaiting = nil, m
	w.future, w.within = m, nil
	done := false
	defer func() { // also if the activity is being ended
		r.awaiting = nil
		if done || w.giveUp() {
			w.future = nil
			r.awaits = w
		}
	}()
	err = a.Suspend(w.suspend)
	done = err == nil
	return err
}

// enter has w woken, by way of waiter, once the future has an outcome.
func (w *awaiter) enter(waiter *activity.Waiter) {
	m := w.future
	rt := m.unit.rt
	if !w.waiter.CompareAndSwap(nil, waiter) { // A1
		return
	}
	if rt == w.unit.rt && m.state.Load() == nil {
		w.become(awaiterVtable)
		w.Link(nil)
		if m.state.CompareAndSwap(nil, &w.Node) { // A2
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

// giveUp takes w out of where it waits, and reports whether it may be used again.
func (w *awaiter) giveUp() bool {
	m := w.future
	if w.waiter.Swap(&gaveUp) == nil { // G1
		return false
	}
	s := m.unit.rt.audiences.lock(m)
	a := w.within
	if a == nil || s.of[m] != a { // its letter is in the list; or it is not in it yet, and will not be; or it is being woken
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
