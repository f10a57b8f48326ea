package freerun

import (
	"context"
	"unsafe"

	"github.com/freerun-go/freerun/internal/atomics"
)

// Ordinary goroutines wait on a channel. A future has room for none: few futures are ever waited for from outside. The runtime
// keeps the channels of those that are, so that all who wait for one future share one, those who give up leave nothing behind, and
// the end of the runtime finds them.

// waiter is the letter that closes a channel.
type waiter struct {
	letter
	future *message
	closed chan struct{}
	stop   atomics.Pointer[func() bool] // ends the watch over the future's scope, if there is one
}

var waiterKind = newKind(kind{name: "waiter", wake: wakeWaiter}, nil)

// always is the channel of all futures that have their outcome.
var always = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// done returns the channel that is closed when m is.
func (m *message) done() <-chan struct{} {
	if !m.open() {
		return always
	}
	rt := m.unit.rt
	if w, ok := rt.waiters.Load(m); ok {
		return w.(*waiter).closed
	}
	w := &waiter{future: m, closed: make(chan struct{})}
	w.become(waiterKind)
	w.unit = m.unit
	if first, ok := rt.waiters.LoadOrStore(m, w); ok {
		return first.(*waiter).closed
	}
	if !m.notify(&w.letter) {
		wakeWaiter(nil, &w.letter)
	}
	if rt.phase.Load() == ended {
		m.abandon()
	}
	return w.closed
}

func wakeWaiter(_ *seat, l *letter) {
	w := (*waiter)(unsafe.Pointer(l))
	w.unit.rt.waiters.Delete(w.future)
	close(w.closed)
	if stop := w.stop.Load(); stop != nil {
		(*stop)()
	}
}

// closeWithScope has the channel that done has made for m closed when m's scope is canceled before m has begun: soon after, by a
// goroutine of package context.
func (m *message) closeWithScope() {
	x := m.scope()
	if x == nil || x.rt.deterministic() {
		return
	}
	v, ok := x.rt.waiters.Load(m)
	if !ok || v.(*waiter).stop.Load() != nil {
		return
	}
	stop := context.AfterFunc(x.ctx, func() { m.closedNow() })
	if !v.(*waiter).stop.CompareAndSwap(nil, &stop) || !m.open() {
		stop()
	}
}

// outcomeNow is outcome, but that a future of a runtime that has ended has one, as it gets no other, and one of a canceled scope whose message has
// not begun. So neither the end nor the canceler need find all open futures: the asker closes the one that it asks for.
func (m *message) outcomeNow() (closed bool, err error) {
	closed, err = m.outcome()
	if closed {
		return closed, err
	}
	if m.unit.rt.phase.Load() == ended {
		m.abandon()
	} else {
		m.revokeCanceled()
	}
	return m.outcome()
}

func (m *message) closedNow() bool {
	closed, _ := m.outcomeNow()
	return closed
}

// abandon closes m because its runtime has ended, and counts it: whoever still holds the letter finds it sealed, and takes its own count
// back. Any goroutine.
func (m *message) abandon() {
	if s := m.unit.rt.stranger(); m.seal(s, &abandoned) {
		s.countFailed(m.unit.rt, ErrClosed, 1)
	}
}
