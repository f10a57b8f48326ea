package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/sched"
)

// Until it is ready, a message to several units lives as a sent or told message to one unit does.
// Then it is placed in all mailboxes and gets another vtable. With that it holds its units when
// it is run or fails, and lets go of them afterwards.

// multiSend is a sent message to several units. If those are few, the parts lie behind it, in the
// struct that contains it.
type multiSend[A, R any] struct {
	sendMessage[A, R]
	multi
}

// multiTell is a told message to several units. It is used again later than other told messages:
// multi_reuse.go.
type multiTell[A any] struct {
	tellMessage[A]
	multi
}

func multiSendOf[A, R any](l *message) *multiSend[A, R] { return (*multiSend[A, R])(unsafe.Pointer(l)) }

func multiTellOf[A any](l *message) *multiTell[A] { return (*multiTell[A])(unsafe.Pointer(l)) }

// multiOperation is an operation on several units.
type multiOperation[A, R any] struct {
	operation[A, R]
	onAll     func(c *Context, m *multi, arg A) (R, error)
	held      *vtable // of sent messages that are placed
	heldTells *vtable // of told messages that are placed
	told      *vtable // of told messages before that
}

// complete makes the vtables and functions that the operation needs once.
func (o *multiOperation[A, R]) complete(name string, code func(*message) uintptr) {
	o.operation.complete(name, code)
	o.called.place = func(s *worker, l *message) {
		l.become(o.held)
		multiSendOf[A, R](l).place(s)
	}
	o.held = newVtable(vtable{name: name, number: o.called.number, code: code, fail: o.failHeld}, o.runHeld)
	o.told = newVtable(vtable{name: name, number: o.called.number, code: code, wake: o.wakeTell, fail: o.failMultiTell, place: func(s *worker, l *message) {
		l.become(o.heldTells)
		multiTellOf[A](l).place(s)
	}}, nil)
	o.heldTells = newVtable(vtable{name: name, number: o.called.number, code: code, fail: o.failHeldTell, recycle: o.recycleTell}, o.runHeldTell)
}

func (o *multiOperation[A, R]) declare(name string) {
	o.name, o.full, o.place = claimName(name)
	o.complete(o.name, nil)
}

// send sends m, whose parts have their units. It does not wait.
func (o *multiOperation[A, R]) send(c *Context, m *multiSend[A, R], arg A) Future[R] {
	s := c.here()
	m.offset = uint32(unsafe.Offsetof(m.multi))
	m.arg = arg
	m.become(o.called)
	m.unit = &s.rt.free
	f := Future[R]{cell: &m.result}
	err := m.arrange(s)
	if err == nil {
		err = s.admits(c, m.unit, &m.message)
	}
	if err != nil {
		c.blame(o.called, &m.message, err)
		m.arg = *new(A)
		m.fillFailed(s, err)
		return f
	}
	o.launch(s, &m.sendMessage, anySender)
	return f
}

// tell is send for a message without a future.
func (o *multiOperation[A, R]) tell(c *Context, s *worker, m *multiTell[A], arg A) error {
	m.offset = uint32(unsafe.Offsetof(m.multi))
	m.arg = arg
	m.become(o.told)
	m.unit = &s.rt.free
	if err := m.arrange(s); err != nil {
		return err
	}
	if err := s.admits(c, m.unit, &m.message); err != nil {
		return err
	}
	if o.args == nil {
		o.told.place(s, &m.message)
		return nil
	}
	if s.observed.Load() != 0 {
		s.traceNeeds(&m.message, o.args, unsafe.Pointer(&m.arg))
	}
	return o.collectTell(s, &m.tellMessage, anySender)
}

func (o *multiOperation[A, R]) runHeld(p *sched.Processor, t *sched.Task) {
	s := workerOf(p)
	m := (*multiSend[A, R])(unsafe.Pointer(t))
	if err := m.stopped(); err != nil {
		o.failHeld(s, &m.message, err)
		return
	}
	c := s.begin(&m.message, o.held, &m.promised)
	if c == nil {
		o.failHeld(s, &m.message, m.refusal())
		return
	}
	if c.seen != 0 {
		s.traceParts(&m.multi)
	}
	v, err := o.onAll(c, &m.multi, m.arg)
	m.arg = *new(A)
	s, forwarded := c.end()
	o.settle(s, &m.result, v, err, forwarded)
	m.release(s, false)
}

// failHeld ends a message that has its units, and either will not be run or has an operation that
// did not return.
func (o *multiOperation[A, R]) failHeld(s *worker, l *message, err error) {
	m := multiSendOf[A, R](l)
	m.faulted(err)
	o.failSend(s, l, err)
	m.release(s, false)
}

func (o *multiOperation[A, R]) runHeldTell(p *sched.Processor, t *sched.Task) {
	s := workerOf(p)
	m := (*multiTell[A])(unsafe.Pointer(t))
	if err := m.stopped(); err != nil {
		o.failHeldTell(s, &m.message, err)
		return
	}
	c := s.begin(&m.message, o.heldTells, nil)
	if c == nil {
		o.failHeldTell(s, &m.message, m.refusal())
		return
	}
	if c.seen != 0 {
		s.traceParts(&m.multi)
	}
	_, err := o.onAll(c, &m.multi, m.arg)
	m.arg = *new(A)
	s, _ = c.end()
	s.countRan(m.unit.rt, 1)
	if err != nil && err != ErrForward {
		m.blame(o.heldTells, err)
		s.lose(o.heldTells, &m.message, err)
	}
	from := m.lineage.Load()
	m.leave(s)
	from.ended(s)
	m.release(s, m.many == nil)
}

func (o *multiOperation[A, R]) failHeldTell(s *worker, l *message, err error) {
	m := multiTellOf[A](l)
	m.faulted(err)
	o.failMultiTell(s, l, err)
	m.release(s, false)
}

// failMultiTell is failTell for a message that no depot counts.
func (o *multiOperation[A, R]) failMultiTell(s *worker, l *message, err error) {
	s.endFailedTell(o.told, l, err)
	tellMessageOf[A](l).arg = *new(A)
}
