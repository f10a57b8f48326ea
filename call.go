package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/sched"
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
	f := Future[R]{cell: &m.result}
	s := c.here()
	if err := s.admits(c, u, &m.letter); err != nil {
		c.blame(o.called, &m.letter, err)
		m.arg = *new(A)
		m.fillFailed(s, err)
		return f
	}
	if o.args != nil { // launch, written out: it is not inlined
		if s.observed.Load() != 0 {
			s.noteNeeds(&m.letter, o.args, unsafe.Pointer(&m.arg))
		}
		o.collect(s, m, anySender)
		return f
	}
	if m.origin.Load() != nil {
		m.lead(nil, true)
	}
	if err := s.dispatch(&m.letter, anySender); err != nil {
		o.failCall(s, &m.letter, err)
	}
	return f
}

// dispatch queues a letter that is ready to run, or returns why it cannot be. fresh is the sender if that is the caller, at the send; nil otherwise.
func (s *seat) dispatch(l *letter, fresh *sender) error {
	switch {
	case !l.free():
		return l.unit.deliver(s, l, fresh)
	case l.kind().place != nil:
		l.kind().place(s, l)
	case !s.at(l.unit.rt) || l.priority() != Normal:
		s.queueReady(l.unit.rt, l.priority(), &l.Task)
	case s.between() && s.runsLetter():
		s.processor.Hand(&l.Task) // the running task is a free operation that has just ended
	default:
		s.processor.Push(&l.Task) // queueReady, written out: it is not inlined
	}
	return nil
}

// launch sends an admitted message on its way: it waits for the futures of its argument, or is
// dispatched. fresh is as for dispatch; without it the caller has called lead.
func (o *operation[A, R]) launch(s *seat, m *call[A, R], fresh *sender) {
	if o.args != nil {
		if fresh != nil && s.observed.Load() != 0 {
			s.noteNeeds(&m.letter, o.args, unsafe.Pointer(&m.arg))
		}
		o.collect(s, m, fresh)
		return
	}
	if fresh != nil && m.origin.Load() != nil {
		m.lead(nil, true)
	}
	if err := s.dispatch(&m.letter, fresh); err != nil {
		o.failCall(s, &m.letter, err)
	}
}

// collect waits for the next future of the argument, or dispatches the message if there is none, or fails it.
func (o *operation[A, R]) collect(s *seat, m *call[A, R], fresh *sender) {
	for {
		dep, err := o.args.firstOpen(unsafe.Pointer(&m.arg))
		switch {
		case err != nil && !o.tolerant:
			o.failCall(s, &m.letter, received(o.called.describe(&m.letter), err))
			return
		case dep == nil:
			if !m.revocable() { // as in await
				m.edge.Store(nil)
			} else if !m.lead(nil, fresh != nil) {
				o.dropRevoked(m)
				return
			}
			if fresh == nil && s.observed.Load() != 0 {
				s.noteReady(&m.letter)
			}
			if err := s.dispatch(&m.letter, fresh); err != nil {
				o.failCall(s, &m.letter, err)
			}
			return
		case fresh == nil && o.args.many:
			if !o.args.gather(s, &m.message, unsafe.Pointer(&m.arg)) {
				o.dropRevoked(m)
			}
			return
		}
		switch m.await(s, dep, fresh != nil) {
		case circular:
			s.countCycle(&m.message, o.called)
			return
		case revoked:
			o.dropRevoked(m)
			return
		case waits:
			return
		}
	}
}

// dropRevoked drops what is left of a message that was revoked: it has its outcome, and is no part of its scope any more.
func (o *operation[A, R]) dropRevoked(m *call[A, R]) {
	if f := failureOf(m.edge.Load()); !f.dropped.Load() {
		m.arg = *new(A)
	}
	m.origin.Store(nil)
}

func (o *operation[A, R]) dropArgument(l *letter) { callOf[A, R](l).arg = *new(A) }

// wakeCall goes on after a future of the argument was resolved.
func (o *operation[A, R]) wakeCall(s *seat, l *letter) {
	m := callOf[A, R](l)
	if !m.open() { // sealed from outside while it waited: nobody wants it to run
		m.arg = *new(A)
		return
	}
	if l.origin.Load() != nil {
		if err := l.canceled(); err != nil {
			o.failCall(s, l, err)
			return
		}
	}
	o.collect(s, m, nil)
}

func (o *operation[A, R]) runCall(p *sched.Processor, t *sched.Task) {
	s := seatOf(p)
	m := (*call[A, R])(unsafe.Pointer(t))
	c := s.begin(&m.letter, o.called, &m.message)
	if c == nil {
		o.failCall(s, &m.letter, m.refusal())
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
	s, forwarded := c.end()
	o.settle(s, &m.result, v, err, forwarded)
}

// failCall ends a message that will not be run, or whose operation did not return.
func (o *operation[A, R]) failCall(s *seat, l *letter, err error) {
	m := callOf[A, R](l)
	if !m.claim(failing) {
		o.dropRevoked(m)
		return
	}
	l.blame(o.called, err)
	m.arg = *new(A)
	s.countFailed(l.unit.rt, err, 1)
	if !m.fillFailed(s, err) {
		s.countFailed(l.unit.rt, err, minusOne)
		return
	}
	l.leave(s)
}

// settle makes what the operation returned the outcome, at once or when the futures in it are resolved.
func (o *operation[A, R]) settle(s *seat, r *result[R], v R, err error, forwarded any) {
	switch {
	case err == nil && forwarded != nil:
		r.finish(s, ErrForward)
	case err == nil && o.results == nil:
		r.value = v
		r.finish(s, nil)
	case err == nil:
		r.value = v
		r.become(o.owing)
		if s.observed.Load() != 0 {
			s.noteNeeds(&r.letter, o.results, unsafe.Pointer(&r.value))
		}
		o.payUp(s, r)
	case err == ErrForward:
		source, ok := forwarded.(*result[R])
		if !ok {
			r.finish(s, err)
			return
		}
		r.become(o.passing)
		if s.observed.Load() != 0 {
			s.noteNeed(&r.letter, &source.message)
		}
		if r.owe(s, &source.message) == resolved {
			r.takeOver(s, source)
		}
	default:
		r.finish(s, err)
	}
}

// finish counts the message as run, and publishes its outcome: err, or the value. It is counted before, so that whoever sees the outcome
// sees it counted; and that is taken back if somebody else has sealed, and counted, it.
func (m *message) finish(s *seat, err error) {
	s.countRan(m.unit.rt, 1)
	won := false
	if err != nil {
		m.blameRan(s, err)
		won = m.fillFailed(s, err)
	} else {
		won = m.fill(s)
	}
	if !won {
		s.countRan(m.unit.rt, minusOne)
	} else if o := m.origin.Load(); o != nil {
		m.leave(s)
		o.ended(s)
	}
}

// owe makes m, which was run, wait for dep.
func (m *message) owe(s *seat, dep *message) waiting {
	edge := dep
	if m.revocable() {
		edge = newBridge(dep)
	}
	m.edge.Store(edge)
	w := m.follow(s, dep, false)
	if w == circular {
		s.countRan(m.unit.rt, 1)
		m.closedAsCycle(s, m.kind())
		m.origin.Load().ended(s)
	}
	return w
}

// payUp waits for the next future in the result, or fills the cell if there is none.
func (o *operation[A, R]) payUp(s *seat, r *result[R]) {
	for {
		dep, err := o.results.firstOpen(unsafe.Pointer(&r.value))
		switch {
		case err != nil:
			r.value = *new(R)
			r.finish(s, received(o.called.describe(&r.letter), err))
			return
		case dep == nil:
			r.finish(s, nil)
			return
		}
		if r.owe(s, dep) != resolved {
			return
		}
	}
}

func (o *operation[A, R]) wakeOwing(s *seat, l *letter) {
	if r := (*result[R])(unsafe.Pointer(l)); r.open() {
		o.payUp(s, r)
	}
}

func (o *operation[A, R]) wakePassing(s *seat, l *letter) {
	if r := (*result[R])(unsafe.Pointer(l)); r.open() {
		r.takeOver(s, (*result[R])(unsafe.Pointer(beyond(r.edge.Load()))))
	}
}

// takeOver makes the outcome of source, which is resolved, that of r.
func (r *result[R]) takeOver(s *seat, source *result[R]) {
	_, err := source.outcome()
	if err == nil {
		r.value = source.value
	}
	r.finish(s, err)
}
