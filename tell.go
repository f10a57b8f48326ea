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
	message message
	arg     A
}

func tellMessageOf[A any](m *message) *tellMessage[A] { return (*tellMessage[A])(unsafe.Pointer(m)) }

// tellTo sends arg to u, the runtime's free unit for a free operation.
func tellTo[A, R any](o *operation[A, R], c *Context, u *unit, arg A) error {
	w, origin, m, d, err := c.messageFor(u, o.core.id)
	if err != nil {
		return u.naming(err, func() string { return o.core.told.name })
	}
	if m == nil {
		m = newTells(o, d)
	}
	tellMessageOf[A](m).arg = arg
	m.unit = u
	if origin != nil { // a reused message has none
		m.lineage.Store(origin)
		if w.isKept(m) {
			if err := w.refusedWaiting(m); err != nil {
				o.core.refuseTell(w, m, err)
				return err
			}
			w.keep(&keptTell{&o.core, m})
			return nil
		}
	}
	if w.observed.Load() != 0 {
		w.sending(u, m)
	}
	if o.core.argPlan == nil {
		err = w.dispatch(m, &c.sender)
	} else {
		if w.observed.Load() != 0 {
			w.traceNeeds(m, o.core.argPlan, o.core.toldArgOf(m))
		}
		err = o.core.collectTell(w, m, &c.sender)
	}
	if err != nil {
		o.core.refuseTell(w, m, err)
	}
	return err
}

// refuseTell ends a counted message that is refused with err. The sender gets err.
func (o *core) refuseTell(w *worker, m *message, err error) {
	m.blame(o.told, err)
	w.countFailed(m.unit.rt, err, 1)
	w.env.drops(m)
	m.leave(w)
	o.drop(m)
}

// drop leaves a message to the collector. It clears argument and unit: the collector may have to
// keep the message together with the rest of its block.
func (o *core) drop(m *message) {
	rt := m.unit.rt
	o.dropToldArgument(m)
	m.unit = &rt.free
	if o.placed == nil { // no depot counts the told messages to several units
		rt.depot(o.id).Add(-1)
	}
}

// messageFor admits and counts a message to u with operation id. It returns the worker to send it
// from, its lineage, a message to use again, nil if there is none, and the operation's depot.
func (c *Context) messageFor(u *unit, id int) (w *worker, origin *lineage, msg *message, d *magazine.Depot, err error) {
	w = c.here()
	if !w.accepts(u) {
		if err := w.refuses(u); err != nil {
			return nil, nil, nil, nil, err
		}
	}
	if c.key != nil {
		if origin, err = c.enterScope(w); err != nil {
			return nil, nil, nil, nil, err
		}
	}
	if w.processor != nil {
		w.counters.sent.Add(1)
		m := w.magazine(id)
		return w, origin, messageOf(m.Take()), m.Depot(), nil
	}
	if pin.Exclusive {
		if msg, d = w.rt.messageAtHand(id); msg != nil {
			return w, origin, msg, d, nil
		}
	}
	msg, d, admitted := w.rt.messageFromOutside(u, id, c.sender.noWait)
	if !admitted {
		origin.withdraw(w)
		return nil, nil, nil, nil, ErrClosed
	}
	return w, origin, msg, d, nil
}

// newTells returns a new message. Once an operation needs many, newTells allocates a batch more, as
// one block, and puts the batch into the depot: messages that travel together then lie together,
// and share cache lines when they move from core to core.
func newTells[A, R any](o *operation[A, R], d *magazine.Depot) *message {
	size := unsafe.Sizeof(tellMessage[A]{})
	n := batchOf(d, size)
	return o.core.link(d, unsafe.Pointer(unsafe.SliceData(make([]tellMessage[A], n))), n, size)
}

// batchOf returns how many messages of size are to be made at once.
func batchOf(d *magazine.Depot, size uintptr) (n int) {
	const largest = 128 // bytes of the largest message that is made in batches
	d.Sized(int64(size))
	n = 1
	if size <= largest && d.Made() >= magazine.BatchSize {
		n = magazine.BatchSize + 1
	}
	d.Add(int64(n))
	return n
}

// link makes the n messages of a block ready to be sent. It returns the first one, and puts the
// others into the depot.
func (o *core) link(d *magazine.Depot, block unsafe.Pointer, n int, size uintptr) *message {
	at := func(i int) *message { return (*message)(unsafe.Add(block, uintptr(i)*size)) }
	for i := range n {
		at(i).become(o.told)
		if i > 1 {
			at(i - 1).Link(&at(i).Node)
		}
	}
	if n > 1 {
		d.Keep(&at(1).Node)
	}
	return at(0)
}

// collectTell is collect for a message without a future: it waits for the first open future of the
// argument, or dispatches the message. from is the sender, at the send, and nil afterwards. The
// error is the one of dispatch.
func (o *core) collectTell(w *worker, m *message, from *sender) error {
	for {
		dep, err := firstOpen(o.argPlan, o.toldArgOf(m))
		switch {
		case err != nil:
			o.failTell(w, m, received(o.told.describe(m), err))
			return nil
		case dep == nil:
			if from == nil && w.observed.Load() != 0 {
				w.traceReady(m)
			}
			return w.dispatch(m, from)
		case from == nil && o.argPlan.Many:
			gatherFor(o.argPlan, w, m, o.toldArgOf(m))
			return nil
		case dep.notify(m):
			return nil
		}
	}
}

// wakeTell resumes a message when a future that it waited for has an outcome.
func (o *core) wakeTell(w *worker, m *message) {
	if m.lineage.Load() != nil {
		if err := m.canceled(); err != nil {
			o.failTell(w, m, err)
			return
		}
	}
	if err := o.collectTell(w, m, nil); err != nil {
		o.failTell(w, m, err)
	}
}

// runTell runs a message without a future, in whatever form, as runSend does one with a future.
func (o *operation[A, R]) runTell(p *sched.Processor, t *sched.Task) {
	w := workerOf(p)
	n := (*tellMessage[A])(unsafe.Pointer(t))
	k := n.message.vtable()
	to, err := k.target(&n.message)
	if err != nil {
		o.core.failTell(w, &n.message, err)
		return
	}
	c := w.begin(&n.message, k, nil)
	if c == nil {
		o.core.failTell(w, &n.message, n.message.refusal())
		return
	}
	_, err = o.invoke(c, to, n.arg)
	n.arg = *new(A)
	c.endTell(&n.message, k, o.core.id, err)
}

// endTell ends a message that was run, and puts it into the processor's magazine if it may be used
// again. It is not generic: generic code is compiled in users' packages, where each step would be a
// call.
func (c *Context) endTell(m *message, k *vtable, id int, err error) {
	w, _ := c.end()
	w.countRan(w.rt, 1)
	if err != nil && err != ErrForward {
		m.blame(k, err)
		w.lose(k, m, err)
	}
	if o := m.lineage.Load(); o != nil {
		m.leave(w) // a message that is kept must not keep its lineage
		o.ended(w)
	}
	if k.release != nil {
		k.release(w, m, true)
		return
	}
	u := m.unit
	m.unit = &w.rt.free // a message that is kept must not keep its unit
	reusable := false
	if x := u.priorityMailboxes(); x != nil {
		reusable = x.mayReuse(m)
	} else if reusable = u.mailbox.Reusable(&m.Node); !reusable {
		u.finished = m // reusable after the owner's next Dequeue
	}
	switch {
	case !reusable:
	case w.processor != nil: // each message to the free unit is reusable: its mailbox is unused
		w.magazine(id).Put(&m.Node)
	default:
		w.rt.depot(id).Add(-1)
	}
}

// failTell ends a message that will not be run, or whose operation did not return, in whatever
// form. It leaves the message to the collector.
func (o *core) failTell(w *worker, m *message, err error) {
	k := m.vtable()
	w.endFailedTell(k, m, err)
	o.drop(m)
	if k.release != nil {
		k.release(w, m, false)
	}
}

// endFailedTell counts and reports a message without a future that failed, and takes it out of its
// scope.
func (w *worker) endFailedTell(k *vtable, m *message, err error) {
	m.blame(k, err)
	if k.chore {
		w.countRan(m.unit.rt, 1)
	} else {
		w.countFailed(m.unit.rt, err, 1)
	}
	w.env.drops(m)
	// The shutdown reports messages that failed with ErrClosed, the scope reports canceled ones.
	if _, canceled := err.(*canceledError); err != ErrClosed && !canceled {
		w.lose(k, m, err)
	}
	m.leave(w)
}

// recycleTell puts a message that could not be used again when it was run into the processor's
// magazine.
func (o *core) recycleTell(w *worker, m *message) { w.magazine(o.id).Put(&m.Node) }
