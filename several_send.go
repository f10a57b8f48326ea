package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/sched"
)

// The life of a message to several units is that of a call, or a note, until it is ready. Then it is placed in all mailboxes, and becomes a
// letter of another kind, which holds its units when it is run or fails, and lets go of them.

// jointCall is a call to several units. What it is made as has the parts behind it, if they are few.
type jointCall[A, R any] struct {
	call[A, R]
	several
}

// jointNote is a note to several units. It is used again later than others: several_again.go.
type jointNote[A any] struct {
	note[A]
	several
}

func jointCallOf[A, R any](l *letter) *jointCall[A, R] { return (*jointCall[A, R])(unsafe.Pointer(l)) }

func jointNoteOf[A any](l *letter) *jointNote[A] { return (*jointNote[A])(unsafe.Pointer(l)) }

// joint is an operation on several units.
type joint[A, R any] struct {
	operation[A, R]
	onAll     func(c *Context, m *several, arg A) (R, error)
	held      *kind // letters with a future that are placed
	heldNotes *kind // letters without one
	told      *kind // those, before
}

// complete makes what the operation needs only once.
func (o *joint[A, R]) complete(name string, code func(*letter) uintptr) {
	o.operation.complete(name, code)
	o.called.place = func(s *seat, l *letter) {
		l.become(o.held)
		jointCallOf[A, R](l).place(s)
	}
	o.held = newKind(kind{name: name, number: o.called.number, code: code, fail: o.failHeld}, o.runHeld)
	o.told = newKind(kind{name: name, number: o.called.number, code: code, wake: o.wakeNote, fail: o.failJointNote, place: func(s *seat, l *letter) {
		l.become(o.heldNotes)
		jointNoteOf[A](l).place(s)
	}}, nil)
	o.heldNotes = newKind(kind{name: name, number: o.called.number, code: code, fail: o.failHeldNote, recycle: o.recycleNote}, o.runHeldNote)
}

func (o *joint[A, R]) declare(name string) {
	claim(name)
	o.complete(name, nil)
}

// send sends m, whose parts have their units.
func (o *joint[A, R]) send(c *Context, m *jointCall[A, R], arg A) Future[R] {
	s := c.here()
	m.offset = uint32(unsafe.Offsetof(m.several))
	m.arg = arg
	m.become(o.called)
	m.unit = &s.rt.free
	f := Future[R]{cell: &m.result}
	err := m.arrange(s)
	if err == nil {
		err = s.admits(c, m.unit, &m.letter)
	}
	if err != nil {
		c.blame(o.called, &m.letter, err)
		m.arg = *new(A)
		m.fillFailed(s, err)
		return f
	}
	o.launch(s, &m.call, anySender)
	return f
}

// tell is send for a message without a future.
func (o *joint[A, R]) tell(c *Context, s *seat, m *jointNote[A], arg A) error {
	m.offset = uint32(unsafe.Offsetof(m.several))
	m.arg = arg
	m.become(o.told)
	m.unit = &s.rt.free
	if err := m.arrange(s); err != nil {
		return err
	}
	if err := s.admits(c, m.unit, &m.letter); err != nil {
		return err
	}
	if o.args == nil {
		o.told.place(s, &m.letter)
		return nil
	}
	if s.observed.Load() != 0 {
		s.noteNeeds(&m.letter, o.args, unsafe.Pointer(&m.arg))
	}
	return o.collectNote(s, &m.note, anySender)
}

func (o *joint[A, R]) runHeld(p *sched.Processor, t *sched.Task) {
	s := seatOf(p)
	m := (*jointCall[A, R])(unsafe.Pointer(t))
	if err := m.stopped(); err != nil {
		o.failHeld(s, &m.letter, err)
		return
	}
	c := s.begin(&m.letter, o.held, &m.message)
	if c == nil {
		o.failHeld(s, &m.letter, m.refusal())
		return
	}
	if c.seen != 0 {
		s.noteParts(&m.several)
	}
	v, err := o.onAll(c, &m.several, m.arg)
	m.arg = *new(A)
	s, forwarded := c.end()
	o.settle(s, &m.result, v, err, forwarded)
	m.release(s, false)
}

// failHeld ends a message that has its units, and will not be run, or whose operation did not return.
func (o *joint[A, R]) failHeld(s *seat, l *letter, err error) {
	m := jointCallOf[A, R](l)
	m.faulted(err)
	o.failCall(s, l, err)
	m.release(s, false)
}

func (o *joint[A, R]) runHeldNote(p *sched.Processor, t *sched.Task) {
	s := seatOf(p)
	m := (*jointNote[A])(unsafe.Pointer(t))
	if err := m.stopped(); err != nil {
		o.failHeldNote(s, &m.letter, err)
		return
	}
	c := s.begin(&m.letter, o.heldNotes, nil)
	if c == nil {
		o.failHeldNote(s, &m.letter, m.refusal())
		return
	}
	if c.seen != 0 {
		s.noteParts(&m.several)
	}
	_, err := o.onAll(c, &m.several, m.arg)
	m.arg = *new(A)
	s, _ = c.end()
	s.countRan(m.unit.rt, 1)
	if err != nil && err != ErrForward {
		m.blame(o.heldNotes, err)
		s.lose(o.heldNotes, &m.letter, err)
	}
	from := m.origin.Load()
	m.leave(s)
	from.ended(s)
	m.release(s, m.many == nil)
}

func (o *joint[A, R]) failHeldNote(s *seat, l *letter, err error) {
	m := jointNoteOf[A](l)
	m.faulted(err)
	o.failJointNote(s, l, err)
	m.release(s, false)
}

// failJointNote is failNote for a letter that comes from no depot.
func (o *joint[A, R]) failJointNote(s *seat, l *letter, err error) {
	s.endFailedNote(o.told, l, err)
	noteOf[A](l).arg = *new(A)
}
