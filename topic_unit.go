package freerun

import (
	"sync"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/queue"
)

// Subscribe has unit u told what is published in t: operation o runs with it, as after an
// [Operation.Tell]. The bound is that of the unit's mailbox, and so is its policy ([MailboxLimit]):
// with [Reject] the unit misses what it is too slow for, and holds up nobody; with [WaitForRoom]
// publishers are held back. Without a limit the mailbox takes all. [SubscribeNewest] has a bound of
// its own.
//
// The subscription ends with the unit: a [Stop], a [Retire], or a panic that stops it, also the one
// that uses up its restarts. What is published before that is known fails as any message to a
// stopped unit. A unit of a [Kind] stays subscribed while it is passive, and what is published
// makes it active. A durable unit is told as by each Tell: what was published is in its store.
//
// A unit that subscribes twice is told twice. If t is closed, the subscription has ended. Any
// goroutine may call Subscribe, operations too; it does not wait. It costs a few allocations and a
// copy of the list of subscribers. It panics if t, o or u is nil.
func Subscribe[S, A, R any](t *Topic[A], o *Operation[S, A, R], u *Unit[S]) *Subscription {
	op, to := o.checked(), u.checked()
	s := newSubscriber(&op.core, to)
	s.deliver = func(c *Context, v A) error { return s.toUnit(to, tellTo(op, c, to, v)) }
	t.topic.addUnit(s, to)
	return s
}

// SubscribeNewest is Subscribe with a bound of its own: the unit gets the newest of what is
// published, most of them at a time. What it has not come to when more is published misses it, the
// oldest first ([Subscription.Missed]); nobody waits, and nothing is refused. With 1 it gets the
// state of things: when it comes to its turn, the newest there is.
//
// While several publish at the same time, there may be one more for each, or less. The values wait
// beside the mailbox, in an order of their own, which may be ahead of what the publisher has told
// the unit before. Their operations belong to no scope, and have priority Normal, or that of the
// unit. Durable units are refused: what their outbox or log has is there to be kept. Futures in the
// values are not waited for. The memory grows with what waits, in steps of 128 values or so. It
// panics also if most is less than 1.
func SubscribeNewest[S, A, R any](t *Topic[A], o *Operation[S, A, R], u *Unit[S], most int) *Subscription {
	op, to := o.checked(), u.checked()
	if most < 1 {
		panic("freerun: SubscribeNewest of less than 1")
	}
	s := newSubscriber(&op.core, to)
	run := deliveryOf[A](&op.core)
	n := &newest[A]{invoke: func(c *Context, to unsafe.Pointer, v A) error {
		_, err := op.invoke(c, to, v)
		return err
	}}
	n.due = due{
		Subscription: s, unit: to, most: most, left: n.values.Len,
		drop: func() bool { _, ok := n.values.TryDequeue(); return ok },
		tell: func(w *worker) error { return tellDelivery(run, w, n) },
	}
	s.deliver = func(c *Context, v A) error {
		if w := c.here(); w.keeping() != nil {
			return w.keepPublication(func(c *Context) error { return putNewest(n, c, v) })
		}
		return putNewest(n, c, v)
	}
	t.topic.addUnit(s, to)
	return s
}

// newSubscriber returns the subscription of a unit, which is told an operation.
func newSubscriber(o *core, u *unit) *Subscription {
	return &Subscription{name: func() string { return subscriberName(o.sent.name, u) }}
}

// addUnit adds the subscription s of unit u, which ends with the unit.
func (t *topic) addUnit(s *Subscription, u *unit) {
	if x := u.ext.Load(); x != nil && x.keyed() != nil {
		t.add(s)
		return
	}
	end := &unitEnd{of: s}
	s.ended = end.stop
	if t.add(s) {
		end.begin(u.watch(&u.rt.context))
	}
}

// toUnit returns err, why the unit is not told, and counts that. A topic may live longer than a
// runtime: the subscriptions of its units end when they are found.
func (s *Subscription) toUnit(u *unit, err error) error {
	if err != nil && u.rt.isFinished() {
		s.Unsubscribe()
		return nil
	}
	return s.noting(err)
}

func subscriberName(operation string, u *unit) string {
	if name := u.called(); name != "" {
		return operation + " on " + name
	}
	return operation
}

// isFinished reports whether the runtime has ended.
func (rt *Runtime) isFinished() bool {
	select {
	case <-rt.finished:
		return true
	default:
		return false
	}
}

// unitEnd waits for the end of the unit of a subscription, until the subscription ends.
//
// The watch is stored (B1) before over is read (B2); over is stored (S1) before the watch is read
// (S2). So a watch that begins while the subscription ends is stopped by one of the two
// (TestExploreUnitEnd).
type unitEnd struct {
	message // must be first
	of      *Subscription
	watch   atomics.Pointer[watch]
	over    atomics.Bool // the subscription has ended
}

// unitEndVtable is set in init: it leads to functions that lead to it.
var unitEndVtable *vtable

func init() {
	unitEndVtable = waiterVtable("subscription", func(_ *worker, m *message) { (*unitEnd)(unsafe.Pointer(m)).ended() })
}

// begin has the watch w of the unit end the subscription.
func (x *unitEnd) begin(w *watch) {
	x.become(unitEndVtable)
	x.message.unit = w.result.promised.unit
	x.watch.Store(w) // B1
	if !w.result.promised.notify(&x.message) {
		x.ended()
	}
	if x.over.Load() { // B2
		w.stop()
	}
}

// stop ends the watch: the subscription has ended.
func (x *unitEnd) stop() {
	x.over.Store(true)                 // S1
	if w := x.watch.Load(); w != nil { // S2
		w.stop()
	}
}

// ended ends the subscription if the unit has ended. The watch also fails when a Shutdown begins,
// during which what runs may still publish.
func (x *unitEnd) ended() {
	if _, err := (Future[Ended]{cell: &x.watch.Load().result}).Result(); err == nil {
		x.of.Unsubscribe()
	}
}

// Source:     our own; the queue is package queue's, the word as that of a unit that is queued
// Sketch:     put: drop the oldest if most of them wait; enqueue (E1); wake (E2)
//             wake: CAS(told: false to true)? tell the unit of a delivery
//             delivery, in the unit's turn: dequeue; are there more? tell the next one.
//             Otherwise told = false (N1), and wake if there are some now (N2). Then run the
//             operation
//             a delivery that fails: drop the oldest, and go on as a delivery does
//             one that cannot be told: told = false (R1), and drop what there is (R2)
// Invariants: I1 While told, one delivery is about to be told, or was and has not passed on. So
//             there is one at a time.
//             I2 While values wait, told is true, or a goroutine is before its E2, or between N1
//             and N2 or R1 and R2. E1 comes before E2, N1 before N2: one of the two sees the other.
//             NOT invariant: that a delivery finds a value.
// Progress:   lock-free, as the queue is
// Linearize:  as the queue; a value is dropped at the dequeue that takes it
// Cost:       an enqueue, and a dequeue and a message of the unit to itself in its turn. A put
//             while values wait is the enqueue and a load
// Checked by: TestExploreNewest…, TestTopicNewest…

// newest holds what a subscriber of [SubscribeNewest] has not come to.
type newest[A any] struct {
	due    due
	values queue.SegmentedMPMC[A]
	invoke func(c *Context, to unsafe.Pointer, v A) error // runs the operation
}

// due is the part of a newest that does not depend on the values.
type due struct {
	*Subscription
	unit *unit
	most int                   // values that wait; each put under way may add one
	left func() int            // how many wait
	drop func() bool           // drops the oldest, if there is one
	tell func(w *worker) error // tells the unit of a delivery
	told atomics.Bool
}

// putNewest adds v, in the place of the oldest if most of them wait. c is the publisher's.
func putNewest[A any](n *newest[A], c *Context, v A) error {
	d := &n.due
	if d.left() >= d.most {
		d.dropOldest()
	}
	n.values.Enqueue(v) // E1
	if d.told.Load() {
		return nil
	}
	return d.wake(c.here()) // E2
}

// wake tells the unit that there are values, unless it is told.
func (d *due) wake(w *worker) error {
	if d.told.Load() || !d.told.CompareAndSwap(false, true) {
		return nil
	}
	return d.pass(w)
}

// pass tells the unit of a delivery. The caller has set told, or has it from the last delivery.
func (d *due) pass(w *worker) error {
	err := d.tell(w)
	if err == nil {
		return nil
	}
	d.told.Store(false)  // R1
	for d.dropOldest() { // R2
	}
	if d.unit.rt.isFinished() {
		d.Unsubscribe()
		return nil
	}
	return err
}

// next passes on what is left, after a delivery has taken its value.
func (d *due) next(w *worker) {
	if d.left() > 0 {
		d.pass(w)
		return
	}
	d.told.Store(false) // N1
	if d.left() > 0 {
		d.wake(w) // N2
	}
}

// dropOldest drops the oldest value, and reports whether there was one.
func (d *due) dropOldest() bool {
	ok := d.drop()
	if ok {
		d.missed.Add(1)
	}
	return ok
}

// failed ends a delivery that has not run.
func (d *due) failed(w *worker) {
	d.dropOldest()
	d.next(w)
}

// runDelivery is the operation of a delivery, on the unit at to.
func runDelivery[A any](n *newest[A], of *core, c *Context, to unsafe.Pointer) error {
	v, ok := n.values.TryDequeue()
	n.due.next(c.here())
	if !ok {
		return nil
	}
	if n.due.unit.interceptors() == nil {
		return n.invoke(c, to, v)
	}
	arg := v // moves to the heap
	_, err := of.around(c, to, unsafe.Pointer(&arg), c.current, true)
	return err
}

// deliveries has the operation of the deliveries to each operation that a SubscribeNewest was
// given: *core → *operation.
var deliveries sync.Map

// deliveryOf returns the operation of the deliveries to operation of. In reports and recordings it
// is that operation.
func deliveryOf[A any](of *core) *operation[*newest[A], struct{}] {
	if o, ok := deliveries.Load(of); ok {
		return o.(*operation[*newest[A], struct{}])
	}
	o := &operation[*newest[A], struct{}]{}
	o.core.declared = of.declared
	o.invoke = func(c *Context, to unsafe.Pointer, n *newest[A]) (struct{}, error) {
		tellMessageOf[*newest[A]](c.current).arg = nil // it has run, and will not have failed
		return struct{}{}, runDelivery(n, of, c, to)
	}
	complete(o, "", nil)
	o.core.argPlan, o.core.route.Form = nil, of.route.Form
	o.core.notIntercepted() // runDelivery calls the interceptors, with the value for the argument
	o.core.told.identity = of.told.identity
	fail := o.core.told.fail
	o.core.told.fail = func(w *worker, m *message, err error) {
		n := tellMessageOf[*newest[A]](m).arg
		fail(w, m, err)
		if n != nil {
			n.due.failed(w)
		}
	}
	first, _ := deliveries.LoadOrStore(of, o)
	return first.(*operation[*newest[A], struct{}])
}

// tellDelivery tells n's unit of a delivery, which has a place in a limited mailbox in any case: a
// unit has one of them at a time.
func tellDelivery[A any](o *operation[*newest[A], struct{}], w *worker, n *newest[A]) error {
	u := n.due.unit
	w, _, m, d, err := w.contextFor(nil).messageFor(u, o.core.id)
	if err != nil {
		return u.naming(err, func() string { return o.core.told.name })
	}
	if m == nil {
		m = newTells(o, d)
	}
	tellMessageOf[*newest[A]](m).arg = n
	m.unit = u
	if w.observed.Load() != 0 {
		w.sending(u, m)
	}
	if x := u.ext.Load(); x != nil && x.limit != nil {
		x.limit.exceed()
	}
	if err = w.dispatch(m, placedSender); err != nil {
		o.core.refuseTell(w, m, err)
	}
	return err
}
