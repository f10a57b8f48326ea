package freerun

import (
	"errors"
	"time"
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
		m.value = rt.clock.now()
		m.endUnsent(nil)
	}
	t.fail = func(reason error) {
		m.blameTimer(afterKind, reason)
		m.endUnsent(reason)
	}
	if err := c.accompany(afterKind, &m.letter); err != nil {
		m.fillFailed(c.here(), err)
		return Future[time.Time]{cell: m}
	}
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

// endUnsent closes a message that was never counted as sent, as its timer was stopped, or it is the timer's own. If the runtime has ended before, somebody may have
// asked for the outcome, and abandoned and counted it as if it had been sent: that is taken back.
func (m *message) endUnsent(err error) {
	s := m.unit.rt.stranger()
	won := false
	if err != nil {
		won = m.fillFailed(s, err)
	} else {
		won = m.fill(s)
	}
	if !won {
		s.countFailed(m.unit.rt, ErrClosed, minusOne)
	}
	m.leave(s)
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
	t.fire = func() { o.sendNow(m) }
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
	t.begin(d)
	return f, t
}

// sendNow sends a message whose time has come.
func (o *operation[A, R]) sendNow(m *call[A, R]) {
	rt := m.unit.rt
	if !rt.countSent() {
		m.blame(o.called, ErrClosed)
		m.arg = *new(A)
		m.endUnsent(ErrClosed)
		return
	}
	s := rt.stranger()
	if o.args == nil {
		if err := s.dispatch(&m.letter, false); err != nil {
			o.failCall(s, &m.letter, err)
		}
	} else {
		o.collect(s, m, false)
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
