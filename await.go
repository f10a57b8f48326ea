package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/activity"
)

// Await waits until the future has an outcome and returns it, as [Future.Wait] does for ordinary goroutines; the activity a is suspended meanwhile, and keeps no
// processor. If the scope of the activity is canceled before, it returns that error. By the activity's own goroutine only; it panics elsewhere. It allocates nothing
// once the activity's stack has waited before.
func (f Future[R]) Await(a *activity.Activity) (R, error) {
	if f.cell != nil && !f.cell.closedNow() {
		if !a.Here() {
			panic("freerun: Await by another goroutine than the activity's own; ordinary goroutines call Wait, and operations pass futures on")
		}
		if err := f.cell.awaitBy(a); err != nil {
			return *new(R), err
		}
	}
	return f.Result()
}

// awaiter is the letter that ends the wait of an activity. After a wait that was interrupted it is in the future's list still, and another one is made.
type awaiter struct {
	letter
	waiter *activity.Waiter
}

var awaiterKind = newKind(kind{name: "awaiter", wake: wakeAwaiter}, nil)

func wakeAwaiter(_ *seat, l *letter) { (*awaiter)(unsafe.Pointer(l)).waiter.Grant() }

func (m *message) awaitBy(a *activity.Activity) error {
	r := roomOf(a)
	w := r.awaits
	if w == nil {
		w = &awaiter{}
		w.become(awaiterKind)
		w.unit = r.letter.unit
	}
	r.awaits, r.awaiting = nil, m
	err := a.Suspend(func(waiter *activity.Waiter) {
		w.waiter = waiter
		if !m.notify(&w.letter) {
			waiter.Grant()
		}
	})
	r.awaiting = nil
	if err == nil {
		r.awaits = w
	}
	return err
}
