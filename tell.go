package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/magazine"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sys/pin"
)

// A tellMessage is the message of a Tell. It goes the way of a sendMessage (send.go) up to the end,
// but has no future. So no goroutine can wait for it, it takes part in no cycle, and it is used
// again (reuse.go).

// tellMessage is a message with an argument and no future. It is used again: see reuse.go.
type tellMessage[A any] struct {
	message
	arg A
}

func tellMessageOf[A any](l *message) *tellMessage[A] { return (*tellMessage[A])(unsafe.Pointer(l)) }

// tell sends arg to u, the runtime's free unit for a free operation.
func (o *operation[A, R]) tell(c *Context, u *unit, arg A) error {
	s, origin, l, d, err := c.messageFor(u, o.id)
	if err != nil {
		return u.naming(err, func() string { return o.told.name })
	}
	if l == nil {
		l = o.newTells(d)
	}
	n := tellMessageOf[A](l)
	n.unit, n.arg = u, arg
	if origin != nil { // a reused message has none
		n.lineage.Store(origin)
	}
	if s.observed.Load() != 0 {
		s.sending(u, &n.message)
	}
	if o.args == nil {
		err = s.dispatch(&n.message, anySender)
	} else {
		if s.observed.Load() != 0 {
			s.traceNeeds(&n.message, o.args, unsafe.Pointer(&n.arg))
		}
		err = o.collectTell(s, n, anySender)
	}
	if err != nil {
		o.refuseTell(s, n, err)
	}
	return err
}

// refuseTell ends a counted message that is refused with err. The sender gets err.
func (o *operation[A, R]) refuseTell(s *worker, n *tellMessage[A], err error) {
	n.blame(o.told, err)
	s.countFailed(n.unit.rt, err, 1)
	n.leave(s)
	o.drop(n)
}

// drop leaves a message to the collector. It clears argument and unit: the collector may have to
// keep the message together with the rest of its block.
func (o *operation[A, R]) drop(n *tellMessage[A]) {
	rt := n.unit.rt
	n.arg, n.unit = *new(A), &rt.free
	if !o.several {
		rt.depot(o.id).Add(-1)
	}
}

// messageFor admits and counts a message to u with operation id. It returns the worker to send it
// from, its lineage, a message to use again, nil if there is none, and the operation's depot.
func (c *Context) messageFor(u *unit, id int) (s *worker, origin *lineage, l *message, d *magazine.Depot, err error) {
	s = c.here()
	if !s.accepts(u) {
		if err := s.refuses(u); err != nil {
			return nil, nil, nil, nil, err
		}
	}
	if c.key != nil {
		if origin, err = c.admit(s); err != nil {
			return nil, nil, nil, nil, err
		}
	}
	if s.processor != nil {
		s.counters.sent.Add(1)
		m := s.magazine(id)
		return s, origin, messageOf(m.Take()), m.Depot(), nil
	}
	if pin.Exclusive {
		if l, d = s.rt.messageAtHand(id); l != nil {
			return s, origin, l, d, nil
		}
	}
	l, d, admitted := s.rt.messageFromOutside(u, id)
	if !admitted {
		origin.withdraw(s)
		return nil, nil, nil, nil, ErrClosed
	}
	return s, origin, l, d, nil
}

// newTells returns a new message. Once an operation needs many, newTells allocates a batch more, as
// one block, and puts the batch into the depot: messages that travel together then lie together,
// and share cache lines when they move from core to core.
func (o *operation[A, R]) newTells(d *magazine.Depot) *message {
	const largest = 128 // bytes of the largest message that is made in batches
	d.Sized(int64(unsafe.Sizeof(tellMessage[A]{})))
	if unsafe.Sizeof(tellMessage[A]{}) > largest || d.Made() < magazine.BatchSize {
		d.Add(1)
		n := new(tellMessage[A])
		n.become(o.told)
		return &n.message
	}
	d.Add(magazine.BatchSize + 1)
	block := make([]tellMessage[A], magazine.BatchSize+1)
	for i := range block {
		block[i].become(o.told)
		if i > 1 {
			block[i-1].Link(&block[i].Node)
		}
	}
	d.Keep(&block[1].Node)
	return &block[0].message
}

// collectTell is collect for a message without a future: it waits for the first open future of the
// argument, or dispatches the message. fresh is the sender, at the send, and nil afterwards. The
// error is the one of dispatch.
func (o *operation[A, R]) collectTell(s *worker, n *tellMessage[A], fresh *sender) error {
	for {
		dep, err := firstOpen(o.args, unsafe.Pointer(&n.arg))
		switch {
		case err != nil:
			o.failTell(s, &n.message, received(o.told.describe(&n.message), err))
			return nil
		case dep == nil:
			if fresh == nil && s.observed.Load() != 0 {
				s.traceReady(&n.message)
			}
			return s.dispatch(&n.message, fresh)
		case fresh == nil && o.args.Many:
			gatherFor(o.args, s, &n.message, unsafe.Pointer(&n.arg))
			return nil
		case dep.notify(&n.message):
			return nil
		}
	}
}

// wakeTell resumes a message when a future that it waited for has an outcome.
func (o *operation[A, R]) wakeTell(s *worker, l *message) {
	if l.lineage.Load() != nil {
		if err := l.canceled(); err != nil {
			o.failTell(s, l, err)
			return
		}
	}
	if err := o.collectTell(s, tellMessageOf[A](l), nil); err != nil {
		o.failTell(s, l, err)
	}
}

// runTell runs a message without a future, in whatever form, as runSend does one with a future.
func (o *operation[A, R]) runTell(p *sched.Processor, t *sched.Task) {
	s := workerOf(p)
	n := (*tellMessage[A])(unsafe.Pointer(t))
	k := n.vtable()
	to, err := k.target(&n.message)
	if err != nil {
		o.failTell(s, &n.message, err)
		return
	}
	c := s.begin(&n.message, k, nil)
	if c == nil {
		o.failTell(s, &n.message, n.refusal())
		return
	}
	_, err = o.invoke(c, to, n.arg)
	n.arg = *new(A)
	c.endTell(&n.message, k, o.id, err)
}

// endTell ends a message that was run, and puts it into the processor's magazine if it may be used
// again. It is not generic: generic code is compiled in users' packages, where each step would be a
// call.
func (c *Context) endTell(l *message, k *vtable, id int, err error) {
	s, _ := c.end()
	s.countRan(s.rt, 1)
	if err != nil && err != ErrForward {
		l.blame(k, err)
		s.lose(k, l, err)
	}
	if o := l.lineage.Load(); o != nil {
		l.leave(s) // a message that is kept must not keep its lineage
		o.ended(s)
	}
	if k.release != nil {
		k.release(s, l, true)
		return
	}
	u := l.unit
	l.unit = &s.rt.free // a message that is kept must not keep its unit
	reusable := false
	if x := u.priorityMailboxes(); x != nil {
		reusable = x.mayReuse(l)
	} else if reusable = u.mailbox.Reusable(&l.Node); !reusable {
		u.late = l // reusable after the owner's next Dequeue
	}
	switch {
	case !reusable:
	case s.processor != nil: // each message to the free unit is reusable: its mailbox is unused
		s.magazine(id).Put(&l.Node)
	default:
		s.rt.depot(id).Add(-1)
	}
}

// failTell ends a message that will not be run, or whose operation did not return, in whatever
// form. It leaves the message to the collector.
func (o *operation[A, R]) failTell(s *worker, l *message, err error) {
	k := l.vtable()
	s.endFailedTell(k, l, err)
	o.drop(tellMessageOf[A](l))
	if k.release != nil {
		k.release(s, l, false)
	}
}

// endFailedTell counts and reports a message without a future that failed, and takes it out of its
// scope.
func (s *worker) endFailedTell(k *vtable, l *message, err error) {
	l.blame(k, err)
	s.countFailed(l.unit.rt, err, 1)
	// The shutdown reports messages that failed with ErrClosed, the scope reports canceled ones.
	if _, canceled := err.(*CanceledError); err != ErrClosed && !canceled {
		s.lose(k, l, err)
	}
	l.leave(s)
}

// recycleTell puts a message that could not be used again when it was run into the processor's
// magazine.
func (o *operation[A, R]) recycleTell(s *worker, l *message) { s.magazine(o.id).Put(&l.Node) }
