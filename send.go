package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/promise"
	"github.com/freerun-go/freerun/internal/sched"
)

// A message with a future, from the sender to the unit and back. Here an ordinary goroutine sends
// to an idle unit while a processor is parked, and waits before the message has run. These are the
// files on the way, and the main step in each; "below" is this file:
//
//	Operation.Send           operation.go                 checks operation, context and unit
//	sendTo                   below                        makes the message, and its future
//	core.makeVtables         message.go                   at the declaration: what each step calls
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
//	core.settle              below                        makes the result the outcome
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

// sendMessage is a message with an argument and a future. [sendTo] allocates it.
type sendMessage[A, R any] struct {
	result result[R]
	arg    A
}

// start makes the message one of operation o to u.
func (m *promised) start(o *core, u *unit) {
	m.become(o.sent)
	m.unit = u
}

// sendTo sends arg to u, the runtime's free unit for a free operation. It and runSend are the way
// of each message, and generic as a whole: with one call more each, fib took 5% longer.
func sendTo[A, R any](o *operation[A, R], c *Context, u *unit, arg A) Future[R] {
	s := &sendMessage[A, R]{arg: arg}
	k, m := &o.core, &s.result.promised
	m.start(k, u)
	f := Future[R]{cell: &s.result}
	w := c.here()
	if err := w.admits(c, u, &m.message); err != nil {
		k.refuseSend(c, w, m, err)
		return f
	}
	// The rest is the body of launch, below. Go does not inline that, and a call made fib 14%
	// slower.
	if k.argPlan != nil {
		if w.observed.Load() != 0 {
			w.traceNeeds(&m.message, k.argPlan, unsafe.Pointer(&s.arg))
		}
		k.collect(w, m, &c.sender)
		return f
	}
	if m.lineage.Load() != nil {
		m.lead(nil, true)
	}
	if err := w.dispatch(&m.message, &c.sender); err != nil {
		k.failSend(w, &m.message, err)
	}
	return f
}

// refuseSend ends a message that is not sent, because of err. It is counted nowhere. With errKept
// it is kept, unless its route refuses that.
func (o *core) refuseSend(c *Context, w *worker, m *promised, err error) {
	if err == errKept {
		if err := w.refusedWaiting(&m.message); err != nil {
			o.failSend(w, &m.message, err)
			return
		}
		w.keepSend(o, m)
		return
	}
	c.blame(o.sent, &m.message, err)
	o.dropArgument(&m.message)
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
func (o *core) launch(w *worker, m *promised, from *sender) {
	if o.argPlan != nil {
		if from != nil && w.observed.Load() != 0 {
			w.traceNeeds(&m.message, o.argPlan, o.argOf(&m.message))
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

// sendOwn sends m, which has its argument and is counted, from outside of all processors: one of
// the runtime's own messages.
func (o *core) sendOwn(rt *Runtime, u *unit, m *promised, from *sender) {
	m.start(o, u)
	o.launch(rt.detachedWorker(), m, from)
}

// collect waits for the next open future of the argument. Without one it dispatches the message; if
// a future of the argument failed, it fails the message. from is as for dispatch.
func (o *core) collect(w *worker, m *promised, from *sender) {
	for {
		dep, err := firstOpen(o.argPlan, o.argOf(&m.message)) // future_scan.go
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
			if !gather(o.argPlan, w, m, o.argOf(&m.message)) {
				o.dropRevoked(m)
			}
			return
		}
		switch m.await(w, dep, from != nil) {
		case promise.InCycle:
			w.countCycle(m, o.sent)
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
func (o *core) dropRevoked(m *promised) {
	if !m.Revocation().Dropped() {
		o.dropArgument(&m.message)
	}
	m.lineage.Store(nil)
}

// wakeSend goes on after a future of the argument was resolved.
func (o *core) wakeSend(w *worker, msg *message) {
	m := (*promised)(unsafe.Pointer(msg))
	if !m.Open() { // sealed by another goroutine while it waited: it must not run
		o.dropArgument(msg)
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
	s := (*sendMessage[A, R])(unsafe.Pointer(t))
	m := &s.result.promised
	k := m.vtable()
	to, err := k.target(&m.message)
	if err != nil {
		o.core.failSend(w, &m.message, err)
		return
	}
	c := w.begin(&m.message, k, m)
	if c == nil {
		o.core.failSend(w, &m.message, m.refusal())
		return
	}
	v, err := o.invoke(c, to, s.arg)
	s.arg = *new(A) // before the future is resolved: its result may be kept for long
	w, forwarded := c.end()
	if err == nil && forwarded == nil {
		s.result.value = v
	}
	o.core.settle(w, m, err, forwarded)
	if k.release != nil {
		k.release(w, &m.message, false)
	}
}

// failSend ends a message that will not run, or whose operation did not return: in whatever form,
// it lets go of what the form holds.
func (o *core) failSend(w *worker, m *message, err error) {
	k := m.vtable()
	w.env.drops(m)
	o.endFailedSend(w, (*promised)(unsafe.Pointer(m)), err)
	if k.release != nil {
		k.release(w, m, false)
	}
}

// endFailedSend makes err the outcome of a message, unless the message was revoked.
func (o *core) endFailedSend(w *worker, m *promised, err error) {
	if !m.claimFailing() {
		o.dropRevoked(m)
		return
	}
	m.blame(o.sent, err)
	o.dropArgument(&m.message)
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

// settle makes what the operation of m returned the outcome, at once or after the futures in the
// result, or the forwarded one, are resolved. If there is no error, and nothing was forwarded, the
// caller has written the result to m's value.
func (o *core) settle(w *worker, m *promised, err error, forwarded any) {
	switch {
	case err == nil && forwarded != nil:
		m.finish(w, ErrForward)
	case err == nil && o.resultPlan == nil:
		m.finish(w, nil)
	case err == nil:
		m.become(o.owing)
		if w.observed.Load() != 0 {
			w.traceNeeds(&m.message, o.resultPlan, o.resultOf(m))
		}
		o.payUp(w, m)
	case err == ErrForward:
		source := o.typed.sourceOf(forwarded)
		if source == nil {
			m.finish(w, forwardsOther(forwarded, o.result))
			return
		}
		m.become(o.passing)
		if w.observed.Load() != 0 {
			w.traceNeed(&m.message, source)
		}
		if m.owe(w, source) == promise.Resolved {
			o.takeOver(w, m, source)
		}
	default:
		m.finish(w, err)
	}
}

func (o *operation[A, R]) sourceOf(forwarded any) *promised {
	if r, ok := forwarded.(*result[R]); ok {
		return &r.promised
	}
	return nil
}

// payUp waits for the next open future in the result. Without one it fills the promise with the
// result; if a future in the result failed, with an error.
func (o *core) payUp(w *worker, m *promised) {
	for {
		dep, err := firstOpen(o.resultPlan, o.resultOf(m))
		switch {
		case err != nil:
			zero(o.result, o.resultOf(m))
			m.finish(w, received(o.sent.describe(&m.message), err))
			return
		case dep == nil:
			m.finish(w, nil)
			return
		}
		if m.owe(w, dep) != promise.Resolved {
			return
		}
	}
}

func (o *core) wakeOwing(w *worker, msg *message) {
	if m := (*promised)(unsafe.Pointer(msg)); m.Open() {
		o.payUp(w, m)
	}
}

func (o *core) wakePassing(w *worker, msg *message) {
	if m := (*promised)(unsafe.Pointer(msg)); m.Open() {
		o.takeOver(w, m, promisedOf(m.Beyond()))
	}
}

// takeOver makes the outcome of source, which is resolved, that of m.
func (o *core) takeOver(w *worker, m, source *promised) {
	_, err := source.Outcome()
	if err == nil {
		o.typed.setResult(m, o.resultOf(source))
	}
	m.finish(w, err)
}

func (o *operation[A, R]) setResult(m *promised, from unsafe.Pointer) {
	resultOf[R](m).value = *(*R)(from)
}
