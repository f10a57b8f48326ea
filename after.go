package freerun

import (
	"errors"
	"time"
	"unsafe"
)

// After returns a future that is resolved after d, with the time of that moment: an operation that takes it as an argument starts then, as
// with any other future. It fails with [ErrCanceled] when c's scope is canceled, and with [ErrClosed] when the runtime is shut
// down or closed; see [Timer]. Any goroutine, operations too; it does not wait. It panics if c is nil.
func After(c *Context, d time.Duration) Future[time.Time] {
	rt := c.checked().rt
	m := &result[time.Time]{}
	m.unit = &rt.free
	m.become(afterKind)
	t := &Timer{rt: rt, scope: c.Scope()}
	t.fire = func() {
		if m.claimSent(t) {
			m.value = rt.clock.now()
			m.finish(rt.stranger(), nil)
		} else {
			t.fail(ErrClosed)
		}
	}
	t.fail = func(reason error) {
		m.blameTimer(afterKind, reason)
		m.endUnsent(reason)
	}
	if err := c.accompany(afterKind, &m.letter); err != nil {
		m.fillFailed(c.here(), err)
		return Future[time.Time]{cell: m}
	}
	m.leaveTo(t)
	t.begin(d)
	return Future[time.Time]{cell: m}
}

var afterKind = newKind(kind{name: "freerun.After", describe: func(*letter) string { return "freerun.After" }}, nil)

// accompany gives a letter that is to be sent later, through c, its origin now; or returns why it is refused.
func (c *Context) accompany(k *kind, l *letter) error {
	s := c.here()
	if err := s.refuses(l.unit); err != nil {
		c.blame(k, l, err)
		return err
	}
	if c.realm == nil {
		return nil
	}
	o, err := c.enter(s)
	if err != nil {
		c.blame(k, l, err)
		return err
	}
	l.origin = o
	return nil
}

// leaveTo notes that m is not sent until t does it.
func (m *message) leaveTo(t *Timer) {
	f := &failure{timer: t}
	f.state.Store(&unsent)
	m.edge.Store(&f.message)
}

// neverSent reports whether m was left to a timer that has not sent it, and does not any more. Any goroutine, after the runtime's end.
func (m *message) neverSent() bool {
	e := m.edge.LoadAcquire()
	if e == nil || e.state.Load() != &unsent {
		return false
	}
	t := (*failure)(unsafe.Pointer(e)).timer
	return t == nil || t.disarm()
}

// claimSent counts a message as sent whose time has come. False if it is too late for that.
func (m *message) claimSent(t *Timer) bool {
	if !t.rt.countSent() {
		return false
	}
	if !t.state.CompareAndSwap(timerFired, timerSent) { // T4
		t.rt.border.sent.Add(minusOne)
		return false
	}
	m.edge.Store(nil)
	return true
}

// endUnsent fails a message that was never counted as sent, as its timer has not sent it.
func (m *message) endUnsent(err error) {
	s := m.unit.rt.stranger()
	f := newFailure(err)
	f.state.Store(&unsent)
	if m.fillFailure(s, f) {
		m.leave(s)
	}
}

// blameTimer tells the scope that a timer did not fire, unless somebody has stopped it, who knows.
func (m *message) blameTimer(k *kind, reason error) {
	if !errors.Is(reason, errStopped) {
		m.blame(k, reason)
	}
}

// sendAfter is send, d later.
func (o *operation[A, R]) sendAfter(c *Context, d time.Duration, u *unit, arg A) (Future[R], *Timer) {
	m := &call[A, R]{arg: arg}
	m.become(o.called)
	m.unit = u
	f := Future[R]{cell: &m.result}
	t := &Timer{rt: c.rt, scope: c.Scope()}
	t.fire = func() { o.sendNow(m, t) }
	t.fail = func(reason error) {
		m.blameTimer(o.called, reason)
		m.arg = *new(A)
		m.endUnsent(reason)
	}
	if err := c.accompany(o.called, &m.letter); err != nil {
		m.arg = *new(A)
		m.fillFailed(c.here(), err)
		t.state.Store(timerStopped)
		return f, t
	}
	m.leaveTo(t)
	t.begin(d)
	return f, t
}

// sendNow sends a message whose time has come.
func (o *operation[A, R]) sendNow(m *call[A, R], t *Timer) {
	if !m.claimSent(t) {
		t.fail(ErrClosed)
		return
	}
	rt := t.rt
	s := rt.stranger()
	if o.args == nil {
		if err := s.dispatch(&m.letter, false); err != nil {
			o.failCall(s, &m.letter, err)
		}
	} else {
		o.collect(s, m, false)
	}
	if rt.phase.Load() == ended { // who closed what is waited for has left it to the timer
		m.abandon()
	}
}

// SendAfter sends the operation to u, with arg, when d has passed, and returns the future of its result at once, and the timer, which can
// be stopped until then. The message has c's scope and priority, and is awaited with the scope. The future fails as that of
// [Operation.Send], and, until it is sent, with [ErrCanceled] when the timer is stopped or the scope canceled, and with
// [ErrClosed] when the runtime is shut down or closed; see [Timer]. Any goroutine, operations too; nothing waits. It panics if c or u is nil.
func (o *Operation[S, A, R]) SendAfter(c *Context, d time.Duration, u *Unit[S], arg A) (Future[R], *Timer) {
	return o.checked().sendAfter(c.checked(), d, u.checked(), arg)
}

// SendAfter is as [Operation.SendAfter], to no unit.
func (o *FreeOperation[A, R]) SendAfter(c *Context, d time.Duration, arg A) (Future[R], *Timer) {
	return o.checked().sendAfter(c, d, &c.checked().rt.free, arg)
}
