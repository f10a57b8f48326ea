package freerun

import (
	"reflect"
	"unsafe"

	"github.com/freerun-go/freerun/internal/promise"
	"github.com/freerun-go/freerun/internal/sched"
)

// A message with a future, from the sender to the unit and back. Here an ordinary goroutine sends
// to an idle unit while a processor is parked, and waits before the message has run. These are the
// files on the way, and the main step in each; "below" is this file:
//
//	Operation.Send           operation.go                 checks operation, context and unit
//	operation.send           below                        makes the message, and its future
//	operation.makeVtables    message.go                   at the declaration: what each step calls
//	Context.here             context.go                   finds the sender outside all processors
//	worker.admits            admit.go                     counts the message, if it is accepted
//	worker.dispatch          below                        it waits for no future: to its unit
//	unit.enqueue             unit.go                      which is idle, and must be queued
//	Queue.EnqueueUnmarked    internal/mailbox/queue.go    puts the message into the mailbox
//	worker.inject            worker_queue.go              queues the unit from outside
//	Scheduler.InjectAt       internal/sched/scheduler.go  puts it into the inbox
//	Scheduler.wakeOne        internal/sched/parking.go    wakes the processor; send returns
//	Future.Wait              future.go                    now waits on a channel,
//	promised.doneChannel     future_audience.go           which the audience of the future has;
//	share.enter              future_audience.go           puts that into the future's list
//
// The woken processor, each step called by the one above it or after it:
//
//	Host.work                internal/sched/host.go       asks for a task (Processor.next)
//	Processor.rest           internal/sched/parking.go    wakes up in park, and searches
//	Processor.search         internal/sched/steal.go      tries High, then the inbox of Normal
//	Processor.takeFromInbox  internal/sched/level.go      takes the unit out
//	drain                    unit.go                      runs the unit's messages
//	Queue.DequeueNew         internal/mailbox/queue.go    takes the message out of the mailbox
//	operation.runSend        below                        calls the operation's function
//	worker.begin             worker.go                    before that: which context it gets
//	operation.settle         below                        makes the result the outcome
//	promised.seal            promise.go                   fills the future, and wakes who waits
//	Cell.Seal                internal/promise/cell.go     takes the list of the waiters
//	worker.wake              worker.go                    calls wake of each one's vtable
//	wakeAudience             future_audience.go           closes the channel of Future.Wait
//	Future.Result            future.go                    reads the outcome; Wait returns it
//
// An operation that sends queues the unit on its own processor instead (unit.enqueue), which takes
// it without a search.
//
// The steps of a message that waits on its way; (…)* happens once for each open future, or never:
//
//	send ─→ (await a future of the argument ─→ wakeSend)* ─→ dispatch ─→ runSend ─→ settle
//	         promise.go
//
//	settle ─→ filled with the result, or with the operation's error
//	       ─→ owing: (await a future of the result ─→ wakeOwing)* ─→ filled with the result, or
//	          with an error if one of these failed
//	       ─→ passing: await the forwarded future ─→ wakePassing ─→ filled with its outcome
//
//	each step before settle ─→ failSend ─→ filled with an error
//
// Some end elsewhere. One that is refused was never sent (refuseSend). One in a cycle is sealed by
// promised.follow (promise.go) or waitAll.proceed (future_scan.go). That of a Call that gives up,
// or of a canceled scope if its future is asked for before its holder fails it, is ended by its
// revoker (message_start.go). One that is open at the end of the runtime is by promised.abandon
// (future_audience.go).

// sendMessage is a message with an argument and a future. [operation.send] allocates it.
type sendMessage[A, R any] struct {
	result[R]
	arg A
}

func sendMessageOf[A, R any](m *message) *sendMessage[A, R] {
	return (*sendMessage[A, R])(unsafe.Pointer(m))
}

func (o *operation[A, R]) send(c *Context, u *unit, arg A) Future[R] {
	m := &sendMessage[A, R]{arg: arg}
	m.become(o.sent)
	m.unit = u
	f := Future[R]{cell: &m.result}
	w := c.here()
	if err := w.admits(c, u, &m.message); err != nil {
		o.refuseSend(c, w, m, err)
		return f
	}
	// The rest is the body of launch, below. Go does not inline that, and a call made fib 14%
	// slower.
	if o.argPlan != nil {
		if w.observed.Load() != 0 {
			w.traceNeeds(&m.message, o.argPlan, unsafe.Pointer(&m.arg))
		}
		o.collect(w, m, &c.sender)
		return f
	}
	if m.lineage.Load() != nil {
		m.lead(nil, true)
	}
	if err := w.dispatch(&m.message, &c.sender); err != nil {
		o.failSend(w, &m.message, err)
	}
	return f
}

// refuseSend ends a message that is not sent, because of err. It is counted nowhere.
func (o *operation[A, R]) refuseSend(c *Context, w *worker, m *sendMessage[A, R], err error) {
	c.blame(o.sent, &m.message, err)
	m.arg = *new(A)
	m.fillFailed(w, err)
}

// dispatch queues a message that is ready to run, or returns why it is refused. from is the sender
// (unit_limit.go) during the send itself. It is nil later, when another goroutine has woken the
// message.
func (w *worker) dispatch(m *message, from *sender) error {
	switch {
	case !m.free():
		u := m.unit
		if u.ext.Load() != nil || m.lineage.Load() != nil {
			return u.deliver(w, m, from)
		}
		u.enqueue(w, m)
		if from == nil {
			u.lookForCycle(w)
		}
	case m.vtable().place != nil:
		return m.vtable().place(w, m)
	case m.unit.rt.around != nil:
		m.surround()
		w.queueReady(m.unit.rt, m.priority(), &m.Task)
	case !w.at(m.unit.rt) || m.priority() != sched.Normal:
		w.queueReady(m.unit.rt, m.priority(), &m.Task)
	case w.between() && w.runsMessage():
		// The running task is a free operation that has just ended: the message may run next.
		w.processor.Hand(&m.Task)
	default:
		w.processor.Push(&m.Task) // queueReady, written out: Go does not inline it
	}
	return nil
}

// launch sends an admitted message on its way: it waits for the futures of its argument, or is
// dispatched. from is as for dispatch; if it is nil, the caller has called lead before.
func (o *operation[A, R]) launch(w *worker, m *sendMessage[A, R], from *sender) {
	if o.argPlan != nil {
		if from != nil && w.observed.Load() != 0 {
			w.traceNeeds(&m.message, o.argPlan, unsafe.Pointer(&m.arg))
		}
		o.collect(w, m, from)
		return
	}
	if from != nil && m.lineage.Load() != nil {
		m.lead(o.gate, true)
	}
	if err := w.dispatch(&m.message, from); err != nil {
		o.failSend(w, &m.message, err)
	}
}

// collect waits for the next open future of the argument. Without one it dispatches the message; if
// a future of the argument failed, it fails the message. from is as for dispatch.
func (o *operation[A, R]) collect(w *worker, m *sendMessage[A, R], from *sender) {
	for {
		dep, err := firstOpen(o.argPlan, unsafe.Pointer(&m.arg)) // future_scan.go
		switch {
		case err != nil && !o.tolerant:
			o.failSend(w, &m.message, received(o.sent.describe(&m.message), err))
			return
		case dep == nil:
			if !m.revocable() { // as in await
				m.SetEdge(o.gate)
			} else if !m.lead(o.gate, from != nil) {
				o.dropRevoked(m)
				return
			}
			if from == nil && w.observed.Load() != 0 {
				w.traceReady(&m.message)
			}
			if err := w.dispatch(&m.message, from); err != nil {
				o.failSend(w, &m.message, err)
			}
			return
		case from == nil && o.argPlan.Many:
			if !gather(o.argPlan, w, &m.promised, unsafe.Pointer(&m.arg)) {
				o.dropRevoked(m)
			}
			return
		}
		switch m.await(w, dep, from != nil) {
		case promise.InCycle:
			w.countCycle(&m.promised, o.sent)
			return
		case promise.Revoked:
			o.dropRevoked(m)
			return
		case promise.Waits:
			return
		}
	}
}

// dropRevoked drops what a revoked message still refers to: its lineage, and its argument unless
// the revoker drops that. The revoker has filled the promise, and has taken the message out of its
// scope.
func (o *operation[A, R]) dropRevoked(m *sendMessage[A, R]) {
	if !m.Revocation().Dropped() {
		m.arg = *new(A)
	}
	m.lineage.Store(nil)
}

func (o *operation[A, R]) dropArgument(m *message) { sendMessageOf[A, R](m).arg = *new(A) }

// wakeSend goes on after a future of the argument was resolved.
func (o *operation[A, R]) wakeSend(w *worker, msg *message) {
	m := sendMessageOf[A, R](msg)
	if !m.Open() { // sealed by another goroutine while it waited: it must not run
		m.arg = *new(A)
		return
	}
	if msg.lineage.Load() != nil {
		if err := msg.canceled(); err != nil {
			o.failSend(w, msg, err)
			return
		}
	}
	o.collect(w, m, nil)
}

// runSend runs a message with a future, in any of its forms. The vtable names the units on which it
// runs (target), and releases what the form holds besides.
func (o *operation[A, R]) runSend(p *sched.Processor, t *sched.Task) {
	w := workerOf(p)
	m := (*sendMessage[A, R])(unsafe.Pointer(t))
	k := m.vtable()
	to, err := k.target(&m.message)
	if err != nil {
		o.failSend(w, &m.message, err)
		return
	}
	c := w.begin(&m.message, k, &m.promised)
	if c == nil {
		o.failSend(w, &m.message, m.refusal())
		return
	}
	v, err := o.invoke(c, to, m.arg)
	m.arg = *new(A) // before the future is resolved: its result may be kept for long
	w, forwarded := c.end()
	o.settle(w, &m.result, v, err, forwarded)
	if k.release != nil {
		k.release(w, &m.message, false)
	}
}

// failSend ends a message that will not run, or whose operation did not return: in whatever form,
// it lets go of what the form holds.
func (o *operation[A, R]) failSend(w *worker, m *message, err error) {
	k := m.vtable()
	w.env.drops(m)
	o.endFailedSend(w, sendMessageOf[A, R](m), err)
	if k.release != nil {
		k.release(w, m, false)
	}
}

// endFailedSend makes err the outcome of a message, unless the message was revoked.
func (o *operation[A, R]) endFailedSend(w *worker, m *sendMessage[A, R], err error) {
	if !m.claimFailing() {
		o.dropRevoked(m)
		return
	}
	m.blame(o.sent, err)
	m.arg = *new(A)
	if o.sent.chore {
		m.finish(w, err)
		return
	}
	w.countFailed(m.unit.rt, err, 1)
	if !m.fillFailed(w, err) {
		w.countFailed(m.unit.rt, err, minusOne)
		return
	}
	m.leave(w)
}

// settle makes what the operation returned the outcome, at once or after the futures in the result,
// or the forwarded one, are resolved.
func (o *operation[A, R]) settle(w *worker, r *result[R], v R, err error, forwarded any) {
	switch {
	case err == nil && forwarded != nil:
		r.finish(w, ErrForward)
	case err == nil && o.resultPlan == nil:
		r.value = v
		r.finish(w, nil)
	case err == nil:
		r.value = v
		r.become(o.owing)
		if w.observed.Load() != 0 {
			w.traceNeeds(&r.message, o.resultPlan, unsafe.Pointer(&r.value))
		}
		o.payUp(w, r)
	case err == ErrForward:
		source, ok := forwarded.(*result[R])
		if !ok {
			r.finish(w, forwardsOther(forwarded, reflect.TypeFor[R]()))
			return
		}
		r.become(o.passing)
		if w.observed.Load() != 0 {
			w.traceNeed(&r.message, &source.promised)
		}
		if r.owe(w, &source.promised) == promise.Resolved {
			r.takeOver(w, source)
		}
	default:
		r.finish(w, err)
	}
}

// finish counts the message as run, and publishes its outcome: err, or the value. The count comes
// first, so that a goroutine that sees the outcome sees it counted. It is taken back if another
// goroutine had sealed the promise, and counted it.
func (m *promised) finish(w *worker, err error) {
	w.countRan(m.unit.rt, 1)
	won := false
	if err != nil {
		m.blameRan(w, err)
		won = m.fillFailed(w, err)
	} else {
		won = m.fill(w)
	}
	if !won {
		w.countRan(m.unit.rt, minusOne)
	} else if o := m.lineage.Load(); o != nil {
		m.leave(w)
		o.ended(w)
	}
}

// owe makes m, which has run, wait for dep.
func (m *promised) owe(on *worker, dep *promised) promise.Waiting {
	edge := &dep.Cell
	if m.revocable() {
		edge = promise.Bridge(edge)
	}
	m.SetEdge(edge)
	w := m.follow(on, dep, false)
	if w == promise.InCycle {
		on.countRan(m.unit.rt, 1)
		m.closedAsCycle(on, m.vtable())
		m.lineage.Load().ended(on)
	}
	return w
}

// payUp waits for the next open future in the result. Without one it fills the promise with the
// result; if a future in the result failed, with an error.
func (o *operation[A, R]) payUp(w *worker, r *result[R]) {
	for {
		dep, err := firstOpen(o.resultPlan, unsafe.Pointer(&r.value))
		switch {
		case err != nil:
			r.value = *new(R)
			r.finish(w, received(o.sent.describe(&r.message), err))
			return
		case dep == nil:
			r.finish(w, nil)
			return
		}
		if r.owe(w, dep) != promise.Resolved {
			return
		}
	}
}

func (o *operation[A, R]) wakeOwing(w *worker, m *message) {
	if r := (*result[R])(unsafe.Pointer(m)); r.Open() {
		o.payUp(w, r)
	}
}

func (o *operation[A, R]) wakePassing(w *worker, m *message) {
	if r := (*result[R])(unsafe.Pointer(m)); r.Open() {
		r.takeOver(w, (*result[R])(unsafe.Pointer(promisedOf(r.Beyond()))))
	}
}

// takeOver makes the outcome of source, which is resolved, that of r.
func (r *result[R]) takeOver(w *worker, source *result[R]) {
	_, err := source.Outcome()
	if err == nil {
		r.value = source.value
	}
	r.finish(w, err)
}
