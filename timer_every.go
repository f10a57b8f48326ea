package freerun

import (
	"errors"
	"time"
	"unsafe"

	"github.com/freerun-go/freerun/internal/timerwheel"
)

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
	r.timer = &Timer{wheel: c.rt.wheel(), scope: c.Scope(), target: &r.message, entry: timerwheel.Entry{Repeats: true}}
	r.timer.begin(d)
	return r.timer
}

// outside returns the context of the same scope and priority for ordinary goroutines.
func (c *Context) outside() *Context { return c.rt.outside.leading(c.key) }

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
	r.last = r.send()
	if !r.last.notify(&r.message) {
		r.ended(w)
	}
}

func wakeRepetition(w *worker, m *message) { (*repetition)(unsafe.Pointer(m)).ended(w) }

// ended arms the timer for the next instant of the grid.
func (r *repetition) ended(w *worker) {
	_, err := r.last.Outcome()
	r.last = nil
	if err != nil && !errors.Is(err, ErrClosed) && !errors.Is(err, ErrCanceled) {
		w.lose(r.called, &r.message, err)
	}
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
// Any goroutine may call Every; it does not wait. It panics if c or fn is nil, or d is not above
// zero.
func Every(c *Context, d time.Duration, fn func(c *Context) error) *Timer {
	if fn == nil {
		panic("freerun: Every with a nil function")
	}
	c = c.checked().outside()
	op := closureOf[operation[everyArg, struct{}]](func(c *Context, _ unsafe.Pointer, a everyArg) (struct{}, error) {
		c.function.Store(codeOf(a.fn))
		return struct{}{}, a.fn(c)
	})
	called := newVtable(vtable{identity: identity{describe: func(*message) string { return functionName(codeOf(fn)) }}}, nil)
	return every(c, d, &c.rt.free, called, func() *promised { return &op.send(c, &c.rt.free, everyArg{fn}).cell.promised })
}

type everyArg struct{ fn func(*Context) error }

// Every sends the operation to u each d, with the same arg each time; see the function [Every]. It
// panics if c or u is nil, if u is of another runtime, or if d is not above zero.
func (o *Operation[S, A, R]) Every(c *Context, d time.Duration, u *Unit[S], arg A) *Timer {
	op, c := o.checked(), c.checked().outside()
	if u.checked().rt != c.rt {
		panic(u.unit.naming(ErrOtherRuntime, func() string { return op.sent.name }))
	}
	return every(c, d, u.checked(), op.sent, func() *promised { return &op.send(c, &u.unit, arg).cell.promised })
}

// Every sends the operation, which has no unit, each d, with the same arg each time; see the
// function [Every].
func (o *FreeOperation[A, R]) Every(c *Context, d time.Duration, arg A) *Timer {
	op, c := o.checked(), c.checked().outside()
	return every(c, d, &c.rt.free, op.sent, func() *promised { return &op.send(c, &c.rt.free, arg).cell.promised })
}
