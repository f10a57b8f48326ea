package freerun

import (
	"time"
	"unsafe"

	"github.com/freerun-go/freerun/internal/promise"
	"github.com/freerun-go/freerun/internal/timerwheel"
)

// After returns a future that is resolved after d, with the time of that moment. An operation that
// takes it as an argument starts then, as with any other future. The future fails with
// [ErrCanceled] when c's scope is canceled, and with [ErrClosed] when the runtime is shut down or
// closed; see [Timer]. Any goroutine may call After, operations too; it does not wait. It panics if
// c is nil.
func After(c *Context, d time.Duration) Future[time.Time] {
	rt := c.checked().rt
	r := &result[time.Time]{}
	m := &r.promised
	m.unit = &rt.free
	m.become(afterVtable)
	f := Future[time.Time]{cell: r}
	t := &Timer{wheel: rt.wheel(), scope: c.Scope(), target: &m.message}
	if err := c.accompany(afterVtable, &m.message); err != nil {
		m.fillFailed(c.here(), err)
		return f
	}
	t.begin(c.here(), afterVtable, d)
	return f
}

// fireAfter resolves the future of After.
func fireAfter(w *worker, msg *message) {
	m := (*promised)(unsafe.Pointer(msg))
	resultOf[time.Time](m).value = msg.unit.rt.env.now()
	w.traceFulfilled(m)
	m.endUnsent(w, nil)
}

// failAfter fails the future of After.
func failAfter(w *worker, msg *message, why *promise.Failure) {
	m := (*promised)(unsafe.Pointer(msg))
	m.blameTimer(msg.vtable(), why)
	m.endUnsent(w, why)
}

// accompany sets the lineage of a message that a timer will send through c, or returns the error of
// its refusal. The message counts as open in its scope from now on.
func (c *Context) accompany(k *vtable, m *message) error {
	w := c.here()
	if err := w.refuses(m.unit); err != nil {
		err = m.unit.naming(err, func() string { return k.describe(m) })
		c.blame(k, m, err)
		return err
	}
	if c.key == nil {
		return nil
	}
	o, err := c.enterScope(w)
	if err != nil {
		c.blame(k, m, err)
		return err
	}
	m.lineage.Store(o)
	if a := c.key.account(); a != nil {
		// Counted as running at once: no holder will find the message revoked. So a canceled scope
		// waits until the timer has failed it.
		w.credit.Begin(a)
	}
	return nil
}

// endUnsent ends a promise that was never counted as sent. Either its timer was stopped, and it
// fails with why; or it is the promise of After, and why is nil.
//
// If the runtime has ended before, a waiter may have asked for the outcome, abandoned the promise
// and counted it as if it had been sent. endUnsent takes that count back. w may be nil.
func (m *promised) endUnsent(w *worker, why *promise.Failure) {
	rt := m.unit.rt
	if why != nil {
		if o := m.lineage.Load(); o != nil {
			if senders := o.chain(); senders != nil {
				why = promise.NewFailure(why.Err)
				why.Senders = senders
			}
		}
		m.Fail(why)
	} else {
		m.Clear()
	}
	if !m.TryFill() { // it has waiters, or is sealed
		if w == nil {
			w = rt.detachedWorker()
		}
		if !m.seal(w, &promise.Filled) {
			w.countFailed(rt, ErrClosed, minusOne)
		}
	}
	w = &rt.outside
	from := m.lineage.Load()
	m.leave(w)
	from.ended(w)
}

// blameTimer records in the scope that a timer did not fire. A Stop is not recorded, as its caller
// knows.
func (m *promised) blameTimer(k *vtable, why *promise.Failure) {
	if why != stoppedTimer && why != withdrawnTimer {
		m.blame(k, why.Err)
	}
}

// sendAfter makes a message that a timer sends to u after d, and arms the timer.
func sendAfter[A, R any](o *operation[A, R], c *Context, d time.Duration, u *unit, arg A) (Future[R], *Timer) {
	m := &sendMessage[A, R]{arg: arg}
	return Future[R]{cell: &m.result}, o.core.sendAfter(c, d, u, &m.result.promised)
}

// sendAfter arms a timer that sends m, which has its argument.
func (o *core) sendAfter(c *Context, d time.Duration, u *unit, m *promised) *Timer {
	m.start(o, u)
	t := &Timer{wheel: c.rt.wheel(), scope: c.Scope(), target: &m.message}
	if err := c.accompany(o.sent, &m.message); err != nil {
		o.dropArgument(&m.message)
		m.fillFailed(c.here(), err)
		t.scope, t.target = nil, nil
		t.entry.State.Store(timerwheel.Stopped)
		return t
	}
	if c.key != nil {
		c.here().keepTimer(t)
	}
	t.begin(c.here(), o.sent, d)
	return t
}

// sendNow sends a message whose time has come.
func (o *core) sendNow(w *worker, msg *message) {
	m := (*promised)(unsafe.Pointer(msg))
	if !m.unit.rt.countSent(running) { // the runtime ends or drains, and has ended the timers
		o.failUnsent(w, msg, closedTimer)
		return
	}
	from := m.lineage.Load()
	defer from.ended(w) // takes back what accompany counted as running: it is a sent message now
	if w.observed.Load()&byRecorder != 0 {
		w.traceFire(msg)
		w.traceSend(msg)
		if o.argPlan != nil {
			w.traceNeeds(msg, o.argPlan, o.argOf(msg))
		}
	}
	m.lead(o.gate, true)
	o.launch(w, m, nil)
}

// failUnsent ends a message that its timer has not sent. w may be nil.
func (o *core) failUnsent(w *worker, msg *message, why *promise.Failure) {
	m := (*promised)(unsafe.Pointer(msg))
	m.blameTimer(o.sent, why)
	o.dropArgument(msg)
	m.endUnsent(w, why)
}

// SendAfter sends the operation to u, with arg, when d has passed. It returns at once the future of
// the result, and the timer, which can be stopped until then. The message has c's scope and
// priority, and is awaited with the scope.
//
// The future fails as that of [Operation.Send]. Until the message is sent, it fails with
// [ErrCanceled] when the timer is stopped or the scope canceled, and with [ErrClosed] when the
// runtime is shut down or closed; see [Timer]. Any goroutine may call SendAfter, operations too; it
// does not wait. It panics if c or u is nil.
func (o *Operation[S, A, R]) SendAfter(c *Context, d time.Duration, u *Unit[S], arg A) (Future[R], *Timer) {
	return sendAfter(o.checked(), c.checked(), d, u.checked(), arg)
}

// SendAfter sends the operation, which has no unit, when d has passed; see [Operation.SendAfter].
func (o *FreeOperation[A, R]) SendAfter(c *Context, d time.Duration, arg A) (Future[R], *Timer) {
	return sendAfter(o.checked(), c, d, &c.checked().rt.free, arg)
}

// repetition sends one message at a time, at the instants of a grid: multiples of period after
// begun. An instant at which the message before has not ended is left out. So runs do not overlap,
// and the duration of a run does not shift the later ones.
type repetition struct {
	message // waits for the promise of the message that was sent last
	timer   *Timer
	begun   time.Time
	period  time.Duration
	send    func() *promised
	last    *promised
	called  *vtable // of the sent messages
}

// every has a timer call send each d, under the scope of c. send sends through c, and returns the
// promise of the message.
func every(c *Context, d time.Duration, u *unit, called *vtable, send func() *promised) *Timer {
	if d <= 0 {
		panic("freerun: Every needs a duration above zero")
	}
	r := &repetition{begun: c.rt.env.now(), period: d, send: send, called: called}
	r.become(repetitionVtable)
	r.unit = u
	if c.key != nil {
		r.lineage.Store(&c.key.root) // a run that is lost is one of the scope
	}
	r.timer = &Timer{wheel: c.rt.wheel(), scope: c.Scope(), target: &r.message, entry: timerwheel.Entry{Repeats: true}}
	c.tie(r.timer)
	if c.key != nil {
		c.here().keepTimer(r.timer)
	}
	r.timer.begin(c.here(), called, d)
	return r.timer
}

// outside returns the context of the same scope and priority for ordinary goroutines.
func (c *Context) outside() *Context {
	k := c.key
	if k == c.rt.keeps.Load() {
		k = nil
	}
	if c.sender.noWait {
		return c.rt.outside.contextFor(k).NoWait()
	}
	return c.rt.outside.contextFor(k)
}

func fireRepetition(w *worker, m *message) {
	r := (*repetition)(unsafe.Pointer(m))
	rt := r.unit.rt
	if !r.unit.mayKeepSendersWaiting() {
		r.fire(w)
		return
	}
	rt.firing.Add(1)
	// Not here: other timers that are due must not wait for room in this mailbox.
	rt.env.spawn(func() {
		defer rt.fired()
		r.fire(rt.detachedWorker())
	})
}

func (r *repetition) fire(w *worker) {
	w.traceFire(&r.message)
	r.last = r.send()
	if !r.last.notify(&r.message) { // the message has ended already
		w.traceFound(r.last)
		r.ended(w)
	}
}

func wakeRepetition(w *worker, m *message) { (*repetition)(unsafe.Pointer(m)).ended(w) }

// ended arms the timer for the next instant of the grid.
func (r *repetition) ended(w *worker) {
	_, err := r.last.Outcome()
	r.last = nil
	if err != nil && !is(err, ErrCanceled) && !is(err, ErrClosed) {
		w.lose(r.called, &r.message, err)
	}
	w.traceTimer(r.called, &r.message) // the next run waits for the end of this one, too
	passed := r.unit.rt.env.now().Sub(r.begun)
	r.timer.arm(r.period-passed%r.period, timerwheel.Fired)
}

// Every runs fn each d from now on, the first time when d has passed, under c's scope and with its
// priority, until the timer is stopped, the scope is canceled, or the runtime is shut down.
//
// Runs do not overlap: an instant at which the run before has not ended is left out. They do not
// drift: instants are multiples of d from the beginning. An error or a panic is an error of the
// scope, and is counted and logged as that of a Tell; it does not end the repetition. A scope's
// Wait waits for a run, not for the end of the repetition.
//
// In an operation of a unit of a [Kind], and in the function that makes its state, the repetition
// ends with the activation too: when the unit becomes passive, it is stopped. Through
// [Runtime.Context] it goes on, and if it sends to the unit, that becomes active again each time.
//
// Any goroutine may call Every; it does not wait. It panics if c or fn is nil, or d is not above
// zero.
func Every(c *Context, d time.Duration, fn func(c *Context) error) *Timer {
	if fn == nil {
		panic("freerun: Every with a nil function")
	}
	from := c.checked().outside()
	op := knownClosure[everyArg, struct{}](&closures)
	if op == nil {
		op = closureOf(&closures, complete, func(c *Context, _ unsafe.Pointer, a everyArg) (struct{}, error) {
			c.function.Store(codeOf(a.fn))
			return struct{}{}, a.fn(c)
		})
	}
	called := newVtable(vtable{identity: identity{describe: func(*message) string { return functionName(codeOf(fn)) }}}, nil)
	return every(c, d, &c.rt.free, called, func() *promised { return &sendTo(op, from, &c.rt.free, everyArg{fn}).cell.promised })
}

type everyArg struct{ fn func(*Context) error }

// Every sends the operation to u each d, with the same arg each time; see the function [Every]. It
// panics if c or u is nil, if u is of another runtime, or if d is not above zero.
func (o *Operation[S, A, R]) Every(c *Context, d time.Duration, u *Unit[S], arg A) *Timer {
	op, from := o.checked(), c.checked().outside()
	if u.checked().rt != c.rt {
		panic(u.unit.naming(ErrOtherRuntime, func() string { return op.core.sent.name }))
	}
	return every(c, d, u.checked(), op.core.sent, func() *promised { return &sendTo(op, from, &u.unit, arg).cell.promised })
}

// Every sends the operation, which has no unit, each d, with the same arg each time; see the
// function [Every].
func (o *FreeOperation[A, R]) Every(c *Context, d time.Duration, arg A) *Timer {
	op, from := o.checked(), c.checked().outside()
	return every(c, d, &c.rt.free, op.core.sent, func() *promised { return &sendTo(op, from, &c.rt.free, arg).cell.promised })
}
