package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/sched"
)

// The life of a message with a future:
//
//	send ─→ (waits for a future of its argument ─→ wakeCall)* ─→ dispatch ─→ runCall ─→ settle ─→ filled
//	                    │                                                        ├─→ owing: (waits for a future of its result)* ─→ filled
//	                    ↓                                                        └─→ passing: waits for what it forwarded ─→ filled
//	                failCall ─→ filled with an error

func (o *operation[A, R]) send(c *Context, u *unit, arg A) Future[R] {
	m := &call[A, R]{arg: arg}
	m.become(o.called)
	m.unit = u
	f := Future[R]{&m.result}
	c = c.here()
	if err := c.refuses(u); err != nil {
		m.arg = *new(A)
		m.fillFailed(c, err)
		return f
	}
	if c.processor != nil {
		c.counters.sent.Add(1)
	} else if !c.rt.countSent() {
		m.arg = *new(A)
		m.fillFailed(c, ErrClosed)
		return f
	}
	if o.args == nil {
		c.dispatch(&m.letter)
	} else {
		o.collect(c, m, true)
	}
	return f
}

// dispatch queues a letter that is ready to run.
func (c *Context) dispatch(l *letter) {
	switch {
	case !l.free():
		l.unit.deliver(c, l)
	case c.at(l.unit.rt):
		if task := c.processor.Running(); c.waking && c.current == nil && task != nil && task.Kind != unitKind {
			c.processor.Hand(&l.Task) // the running task is a free operation that has just ended
		} else {
			c.processor.Push(&l.Task)
		}
	default:
		l.unit.rt.scheduler.Inject(&l.Task)
	}
}

// collect waits for the next future of the argument, or dispatches the message if there is none, or fails it.
func (o *operation[A, R]) collect(c *Context, m *call[A, R], fresh bool) {
	for {
		dep, err := o.args.firstOpen(unsafe.Pointer(&m.arg))
		switch {
		case err != nil && !o.tolerant:
			o.failCall(c, &m.letter, received(o.called.describe(&m.letter), err))
			return
		case dep == nil:
			m.edge.Store(nil)
			c.dispatch(&m.letter)
			return
		case !fresh && o.args.many:
			o.args.gather(c, &m.message, unsafe.Pointer(&m.arg))
			return
		}
		switch m.await(c, dep, fresh) {
		case circular:
			c.countFailed(m.unit.rt, ErrCycle, 1)
			return
		case waits:
			return
		}
	}
}

// wakeCall goes on after a future of the argument was resolved.
func (o *operation[A, R]) wakeCall(c *Context, l *letter) {
	m := callOf[A, R](l)
	if !m.open() { // sealed from outside while it waited: nobody wants it to run
		m.arg = *new(A)
		return
	}
	o.collect(c, m, false)
}

func (o *operation[A, R]) runCall(p *sched.Processor, t *sched.Task) {
	c := contextOf(p)
	m := (*call[A, R])(unsafe.Pointer(t))
	if !c.begin(&m.letter, o.called) {
		o.failCall(c, &m.letter, ErrClosed)
		return
	}
	var v R
	var err error
	if o.onUnit != nil {
		v, err = o.onUnit(c, m.unit, m.arg)
	} else {
		v, err = o.onNone(c, m.arg)
	}
	m.arg = *new(A) // not needed any more: dropped before the future is resolved
	forwarded := c.end()
	o.settle(c, &m.result, v, err, forwarded)
}

// failCall ends a message that will not be run, or whose operation did not return.
func (o *operation[A, R]) failCall(c *Context, l *letter, err error) {
	m := callOf[A, R](l)
	m.arg = *new(A)
	c.countFailed(l.unit.rt, err, 1)
	if !m.fillFailed(c, err) {
		c.countFailed(l.unit.rt, err, minusOne)
	}
}

// settle makes what the operation returned the outcome, at once or when the futures in it are resolved.
func (o *operation[A, R]) settle(c *Context, r *result[R], v R, err error, forwarded any) {
	switch {
	case err == nil && forwarded != nil:
		r.finish(c, ErrForward)
	case err == nil && o.results == nil:
		r.value = v
		r.finish(c, nil)
	case err == nil:
		r.value = v
		r.become(o.owing)
		o.payUp(c, r)
	case err == ErrForward:
		source, ok := forwarded.(*result[R])
		if !ok {
			r.finish(c, err)
			return
		}
		r.become(o.passing)
		if r.owe(c, &source.message) == resolved {
			r.takeOver(c, source)
		}
	default:
		r.finish(c, err)
	}
}

// finish counts the message as run, and publishes its outcome: err, or the value. It is counted before, so that whoever sees the outcome
// sees it counted; and that is taken back if somebody else has sealed, and counted, it.
func (m *message) finish(c *Context, err error) {
	c.countRan(m.unit.rt, 1)
	won := false
	if err != nil {
		won = m.fillFailed(c, err)
	} else {
		won = m.fill(c)
	}
	if !won {
		c.countRan(m.unit.rt, minusOne)
	}
}

// owe makes m, which was run, wait for dep.
func (m *message) owe(c *Context, dep *message) waiting {
	w := m.await(c, dep, false)
	if w == circular {
		c.countRan(m.unit.rt, 1)
	}
	return w
}

// payUp waits for the next future in the result, or fills the cell if there is none.
func (o *operation[A, R]) payUp(c *Context, r *result[R]) {
	for {
		dep, err := o.results.firstOpen(unsafe.Pointer(&r.value))
		switch {
		case err != nil:
			r.value = *new(R)
			r.finish(c, received(o.called.describe(&r.letter), err))
			return
		case dep == nil:
			r.finish(c, nil)
			return
		}
		if r.owe(c, dep) != resolved {
			return
		}
	}
}

func (o *operation[A, R]) wakeOwing(c *Context, l *letter) {
	if r := (*result[R])(unsafe.Pointer(l)); r.open() {
		o.payUp(c, r)
	}
}

func (o *operation[A, R]) wakePassing(c *Context, l *letter) {
	if r := (*result[R])(unsafe.Pointer(l)); r.open() {
		r.takeOver(c, (*result[R])(unsafe.Pointer(r.edge.Load())))
	}
}

// takeOver makes the outcome of source, which is resolved, that of r.
func (r *result[R]) takeOver(c *Context, source *result[R]) {
	_, err := source.outcome()
	if err == nil {
		r.value = source.value
	}
	r.finish(c, err)
}
