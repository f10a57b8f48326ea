package freerun

import "unsafe"

// Ordinary goroutines wait on a channel. A future has room for none: few futures are ever waited for from outside. The runtime
// keeps the channels of those that are, so that all who wait for one future share one, those who give up leave nothing behind, and
// the end of the runtime finds them.

// waiter is the letter that closes a channel.
type waiter struct {
	letter
	future *message
	closed chan struct{}
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
}

// outcomeNow is outcome, but that a future of a runtime that has ended has one: it will not get another. So at the
// end nobody need find all open futures; whoever asks for one closes it.
func (m *message) outcomeNow() (closed bool, err error) {
	closed, err = m.outcome()
	if !closed && m.unit.rt.phase.Load() == ended {
		m.abandon()
		return m.outcome()
	}
	return closed, err
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
