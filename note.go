package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sys/pin"
)

// The life of a message without a future is that of a call without the end: nobody can wait for it, so it takes part in no
// cycle, and its letter is used again.

func (o *operation[A, R]) tell(c *Context, u *unit, arg A) error {
	s, origin, l, d, err := c.letterFor(u, o.id)
	if err != nil {
		return u.naming(err, func() string { return o.told.name })
	}
	if l == nil {
		l = o.newNotes(d)
	}
	n := noteOf[A](l)
	n.unit, n.arg = u, arg
	if origin != nil { // a letter that is used again has none
		n.origin.Store(origin)
	}
	if s.observed.Load() != 0 {
		s.sending(u, &n.letter)
	}
	if o.args == nil {
		err = s.dispatch(&n.letter, anySender)
	} else {
		if s.observed.Load() != 0 {
			s.noteNeeds(&n.letter, o.args, unsafe.Pointer(&n.arg))
		}
		err = o.collectNote(s, n, anySender)
	}
	if err != nil {
		o.refuse(s, n, err)
	}
	return err
}

// refuse ends a message that its sender is told of.
func (o *operation[A, R]) refuse(s *seat, n *note[A], err error) {
	n.blame(o.told, err)
	s.countFailed(n.unit.rt, err, 1)
	n.leave(s)
	o.drop(n)
}

// drop leaves a letter to the collector, which may have to keep it with the rest of its batch: not its argument and its unit, too.
func (o *operation[A, R]) drop(n *note[A]) {
	rt := n.unit.rt
	n.arg, n.unit = *new(A), &rt.free
	rt.depot(o.id).flood.add(-1)
}

// letterFor admits and counts a message to u with operation id, and returns the seat to send it from, its origin, a letter to use again if
// there is one, and the depot.
func (c *Context) letterFor(u *unit, id int) (s *seat, origin *origin, l *letter, d *depot, err error) {
	s = c.here()
	if !s.accepts(u) {
		if err := s.refuses(u); err != nil {
			return nil, nil, nil, nil, err
		}
	}
	if c.realm != nil {
		if origin, err = c.enter(s); err != nil {
			return nil, nil, nil, nil, err
		}
	}
	if s.processor != nil {
		s.counters.sent.Add(1)
		m := s.magazine(id)
		return s, origin, m.take(), m.depot, nil
	}
	if pin.Exclusive {
		if l, d = s.rt.letterAtHand(id); l != nil {
			return s, origin, l, d, nil
		}
	}
	l, d, admitted := s.rt.letterFromOutside(u, id)
	if !admitted {
		origin.withdraw(s)
		return nil, nil, nil, nil, ErrClosed
	}
	return s, origin, l, d, nil
}

// newNotes returns a new letter. Once an operation needs many, they are made a batch at a time, and the rest of the batch goes to the
// depot: letters that travel together then lie together, and share cache lines when they move from core to core.
func (o *operation[A, R]) newNotes(d *depot) *letter {
	const largest = 128 // bytes of a note that is made in batches
	if d.flood.size.Load() == 0 {
		d.flood.size.Store(int64(unsafe.Sizeof(note[A]{})))
	}
	if unsafe.Sizeof(note[A]{}) > largest || d.flood.made.Load() < batchSize {
		d.flood.add(1)
		n := new(note[A])
		n.become(o.told)
		return &n.letter
	}
	d.flood.add(batchSize + 1)
	block := make([]note[A], batchSize+1)
	for i := range block {
		block[i].become(o.told)
		if i > 1 {
			block[i-1].Link(&block[i].Node)
		}
	}
	d.keep(&block[1].Node)
	return &block[0].letter
}

// collectNote is collect for a letter without a future. The error is for the sender, if that is who calls.
func (o *operation[A, R]) collectNote(s *seat, n *note[A], fresh *sender) error {
	for {
		dep, err := o.args.firstOpen(unsafe.Pointer(&n.arg))
		switch {
		case err != nil:
			n.kind().fail(s, &n.letter, received(o.told.describe(&n.letter), err))
			return nil
		case dep == nil:
			if fresh == nil && s.observed.Load() != 0 {
				s.noteReady(&n.letter)
			}
			return s.dispatch(&n.letter, fresh)
		case fresh == nil && o.args.many:
			o.args.gatherFor(s, &n.letter, unsafe.Pointer(&n.arg))
			return nil
		case dep.notify(&n.letter):
			return nil
		}
	}
}

func (o *operation[A, R]) wakeNote(s *seat, l *letter) {
	if l.origin.Load() != nil {
		if err := l.canceled(); err != nil {
			l.kind().fail(s, l, err)
			return
		}
	}
	if err := o.collectNote(s, noteOf[A](l), nil); err != nil {
		l.kind().fail(s, l, err)
	}
}

func (o *operation[A, R]) runNote(p *sched.Processor, t *sched.Task) {
	s := seatOf(p)
	n := (*note[A])(unsafe.Pointer(t))
	c := s.begin(&n.letter, o.told, nil)
	if c == nil {
		o.failNote(s, &n.letter, n.refusal())
		return
	}
	var err error
	if o.onUnit != nil {
		_, err = o.onUnit(c, n.unit, n.arg)
	} else {
		_, err = o.onNone(c, n.arg)
	}
	n.arg = *new(A)
	c.endNote(&n.letter, o.told, o.id, err)
}

// endNote is what is to be done after a letter without a future was run: generic code, which is compiled in users' packages, would
// make a call of each step.
func (c *Context) endNote(l *letter, k *kind, id int, err error) {
	s, _ := c.end()
	s.countRan(s.rt, 1)
	if err != nil && err != ErrForward {
		l.blame(k, err)
		s.lose(k, l, err)
	}
	if o := l.origin.Load(); o != nil {
		l.leave(s) // nor its origin
		o.ended(s)
	}
	u := l.unit
	l.unit = &s.rt.free // a letter that is kept must not keep its unit
	reusable := false
	if lanes := u.lanes(); lanes != nil {
		reusable = lanes.mayReuse(l)
	} else if reusable = u.mailbox.Reusable(&l.Node); !reusable {
		u.late = l
	}
	switch {
	case !reusable:
	case s.processor != nil: // every letter to the free unit is reusable, as nobody uses its mailbox
		s.magazine(id).put(l)
	default:
		s.rt.depot(id).flood.add(-1)
	}
}

// failNote ends a letter that will not be run, or whose operation did not return. It goes to the collector.
func (o *operation[A, R]) failNote(s *seat, l *letter, err error) {
	s.endFailedNote(o.told, l, err)
	o.drop(noteOf[A](l))
}

// endFailedNote counts and reports a letter without a future that failed, and ends its part in its scope.
func (s *seat) endFailedNote(k *kind, l *letter, err error) {
	l.blame(k, err)
	s.countFailed(l.unit.rt, err, 1)
	if _, canceled := err.(*CanceledError); err != ErrClosed && !canceled { // that is told by the shutdown, or the scope, that it belongs to
		s.lose(k, l, err)
	}
	l.leave(s)
}

func (o *operation[A, R]) recycleNote(s *seat, l *letter) { s.magazine(o.id).put(l) }
