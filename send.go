package freerun

import (
	"context"
	"unsafe"

	"github.com/freerun-go/freerun/internal/promise"
	"github.com/freerun-go/freerun/internal/sched"
)

// The life of a message with a future; (…)* happens once for each open future, or not at all:
//
//	send ─→ (await a future of the argument ─→ wakeSend)* ─→ dispatch ─→ runSend ─→ settle
//	         promise.go                                       worker_queue.go, unit.go
//
//	settle ─→ filled with the result, or with the operation's error
//	       ─→ owing: (await a future of the result ─→ wakeOwing)* ─→ filled with the result
//	       ─→ passing: await the forwarded future ─→ wakePassing ─→ filled with its outcome
//
//	each step before settle ─→ failSend ─→ filled with an error

// sendMessage is a message with an argument and a future. [operation.send] allocates it.
type sendMessage[A, R any] struct {
	result[R]
	arg A
}

func sendMessageOf[A, R any](l *message) *sendMessage[A, R] {
	return (*sendMessage[A, R])(unsafe.Pointer(l))
}

// sender is the goroutine that sends a message, as long as the send lasts.
type sender struct {
	// ctx limits the sender's wait for room: the context of a Call, unlinked. It is nil for other
	// senders, whose wait has no limit of this kind.
	ctx    context.Context
	gaveUp bool // the sender has waited for room until ctx was done
}

// anySender stands for all senders that are not in Call.
var anySender = &sender{}

// context returns the context that limits the sender's wait for room.
func (f *sender) context() context.Context {
	if f.ctx == nil {
		return context.Background()
	}
	return f.ctx
}

// over returns the error of the end that keeps l from waiting for room any longer, nil if l may
// wait.
//
// One end causes others: the end of the runtime ends its scopes; the end of a scope ends the
// contexts that are derived from the scope's context. over checks the causes first, so the error
// does not depend on which of them the sender hears of first.
func (f *sender) over(l *message) error {
	if l.unit.rt.phase.Load() >= aborting {
		return ErrClosed
	}
	if err := l.canceled(); err != nil || f.context().Err() == nil {
		return err
	}
	f.gaveUp = true
	return &CanceledError{Cause: context.Cause(f.ctx)}
}

func (o *operation[A, R]) send(c *Context, u *unit, arg A) Future[R] {
	m := &sendMessage[A, R]{arg: arg}
	m.become(o.called)
	m.unit = u
	f := Future[R]{cell: &m.result}
	s := c.here()
	if err := s.admits(c, u, &m.message); err != nil {
		o.refuseSend(c, s, m, err)
		return f
	}
	// From here on as launch, below, which Go does not inline: a call of it took 14% of the speed
	// of fib.
	if o.args != nil {
		if s.observed.Load() != 0 {
			s.traceNeeds(&m.message, o.args, unsafe.Pointer(&m.arg))
		}
		o.collect(s, m, anySender)
		return f
	}
	if m.lineage.Load() != nil {
		m.lead(nil, true)
	}
	if err := s.dispatch(&m.message, anySender); err != nil {
		o.failSend(s, &m.message, err)
	}
	return f
}

// refuseSend ends a message that is not sent, because of err. It is counted nowhere.
func (o *operation[A, R]) refuseSend(c *Context, s *worker, m *sendMessage[A, R], err error) {
	c.blame(o.called, &m.message, err)
	m.arg = *new(A)
	m.fillFailed(s, err)
}

// dispatch queues a message that is ready to run, or returns why it is refused. fresh is the sender
// during the send itself. It is nil later, when another goroutine has woken the message.
func (s *worker) dispatch(l *message, fresh *sender) error {
	switch {
	case !l.free():
		u := l.unit
		if u.ext.Load() != nil || l.lineage.Load() != nil {
			return u.deliver(s, l, fresh)
		}
		u.enqueue(s, l)
	case l.vtable().place != nil:
		l.vtable().place(s, l)
	case !s.at(l.unit.rt) || l.priority() != sched.Normal:
		s.queueReady(l.unit.rt, l.priority(), &l.Task)
	case s.between() && s.runsMessage():
		// The running task is a free operation that has just ended: the message may run next.
		s.processor.Hand(&l.Task)
	default:
		s.processor.Push(&l.Task) // queueReady, written out: Go does not inline it
	}
	return nil
}

// launch sends an admitted message on its way: it waits for the futures of its argument, or is
// dispatched. fresh is as for dispatch; if it is nil, the caller has called lead before.
func (o *operation[A, R]) launch(s *worker, m *sendMessage[A, R], fresh *sender) {
	if o.args != nil {
		if fresh != nil && s.observed.Load() != 0 {
			s.traceNeeds(&m.message, o.args, unsafe.Pointer(&m.arg))
		}
		o.collect(s, m, fresh)
		return
	}
	if fresh != nil && m.lineage.Load() != nil {
		m.lead(nil, true)
	}
	if err := s.dispatch(&m.message, fresh); err != nil {
		o.failSend(s, &m.message, err)
	}
}

// collect waits for the next open future of the argument. Without one it dispatches the message; if
// a future of the argument failed, it fails the message. fresh is as for dispatch.
func (o *operation[A, R]) collect(s *worker, m *sendMessage[A, R], fresh *sender) {
	for {
		dep, err := firstOpen(o.args, unsafe.Pointer(&m.arg)) // future_scan.go
		switch {
		case err != nil && !o.tolerant:
			o.failSend(s, &m.message, received(o.called.describe(&m.message), err))
			return
		case dep == nil:
			if !m.revocable() { // as in await
				m.SetEdge(nil)
			} else if !m.lead(nil, fresh != nil) {
				o.dropRevoked(m)
				return
			}
			if fresh == nil && s.observed.Load() != 0 {
				s.traceReady(&m.message)
			}
			if err := s.dispatch(&m.message, fresh); err != nil {
				o.failSend(s, &m.message, err)
			}
			return
		case fresh == nil && o.args.Many:
			if !gather(o.args, s, &m.promised, unsafe.Pointer(&m.arg)) {
				o.dropRevoked(m)
			}
			return
		}
		switch m.await(s, dep, fresh != nil) {
		case promise.InCycle:
			s.countCycle(&m.promised, o.called)
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

func (o *operation[A, R]) dropArgument(l *message) { sendMessageOf[A, R](l).arg = *new(A) }

// wakeSend goes on after a future of the argument was resolved.
func (o *operation[A, R]) wakeSend(s *worker, l *message) {
	m := sendMessageOf[A, R](l)
	if !m.Open() { // sealed by another goroutine while it waited: it must not run
		m.arg = *new(A)
		return
	}
	if l.lineage.Load() != nil {
		if err := l.canceled(); err != nil {
			o.failSend(s, l, err)
			return
		}
	}
	o.collect(s, m, nil)
}

// runSend runs a message with a future, in whatever form: the vtable says what it runs on, and what
// it lets go of afterwards.
func (o *operation[A, R]) runSend(p *sched.Processor, t *sched.Task) {
	s := workerOf(p)
	m := (*sendMessage[A, R])(unsafe.Pointer(t))
	k := m.vtable()
	to, err := k.target(&m.message)
	if err != nil {
		o.failSend(s, &m.message, err)
		return
	}
	c := s.begin(&m.message, k, &m.promised)
	if c == nil {
		o.failSend(s, &m.message, m.refusal())
		return
	}
	v, err := o.invoke(c, to, m.arg)
	m.arg = *new(A) // before the future is resolved: its result may be kept for long
	s, forwarded := c.end()
	o.settle(s, &m.result, v, err, forwarded)
	if k.release != nil {
		k.release(s, &m.message, false)
	}
}

// failSend ends a message that will not run, or whose operation did not return: in whatever form,
// it lets go of what the form holds.
func (o *operation[A, R]) failSend(s *worker, l *message, err error) {
	k := l.vtable()
	o.endFailedSend(s, sendMessageOf[A, R](l), err)
	if k.release != nil {
		k.release(s, l, false)
	}
}

// endFailedSend makes err the outcome of a message, unless the message was revoked.
func (o *operation[A, R]) endFailedSend(s *worker, m *sendMessage[A, R], err error) {
	if !m.claimFailing() {
		o.dropRevoked(m)
		return
	}
	m.blame(o.called, err)
	m.arg = *new(A)
	s.countFailed(m.unit.rt, err, 1)
	if !m.fillFailed(s, err) {
		s.countFailed(m.unit.rt, err, minusOne)
		return
	}
	m.leave(s)
}

// settle makes what the operation returned the outcome, at once or after the futures in the result,
// or the forwarded one, are resolved.
func (o *operation[A, R]) settle(s *worker, r *result[R], v R, err error, forwarded any) {
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
			s.traceNeeds(&r.message, o.results, unsafe.Pointer(&r.value))
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
			s.traceNeed(&r.message, &source.promised)
		}
		if r.owe(s, &source.promised) == promise.Resolved {
			r.takeOver(s, source)
		}
	default:
		r.finish(s, err)
	}
}

// finish counts the message as run, and publishes its outcome: err, or the value. The count comes
// first, so that a goroutine that sees the outcome sees it counted. It is taken back if another
// goroutine had sealed the promise, and counted it.
func (m *promised) finish(s *worker, err error) {
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
	} else if o := m.lineage.Load(); o != nil {
		m.leave(s)
		o.ended(s)
	}
}

// owe makes m, which has run, wait for dep.
func (m *promised) owe(s *worker, dep *promised) promise.Waiting {
	edge := &dep.Cell
	if m.revocable() {
		edge = promise.Bridge(edge)
	}
	m.SetEdge(edge)
	w := m.follow(s, dep, false)
	if w == promise.InCycle {
		s.countRan(m.unit.rt, 1)
		m.closedAsCycle(s, m.vtable())
		m.lineage.Load().ended(s)
	}
	return w
}

// payUp waits for the next open future in the result. Without one it fills the promise with the
// result; if a future in the result failed, with an error.
func (o *operation[A, R]) payUp(s *worker, r *result[R]) {
	for {
		dep, err := firstOpen(o.results, unsafe.Pointer(&r.value))
		switch {
		case err != nil:
			r.value = *new(R)
			r.finish(s, received(o.called.describe(&r.message), err))
			return
		case dep == nil:
			r.finish(s, nil)
			return
		}
		if r.owe(s, dep) != promise.Resolved {
			return
		}
	}
}

func (o *operation[A, R]) wakeOwing(s *worker, l *message) {
	if r := (*result[R])(unsafe.Pointer(l)); r.Open() {
		o.payUp(s, r)
	}
}

func (o *operation[A, R]) wakePassing(s *worker, l *message) {
	if r := (*result[R])(unsafe.Pointer(l)); r.Open() {
		r.takeOver(s, (*result[R])(unsafe.Pointer(promisedOf(r.Beyond()))))
	}
}

// takeOver makes the outcome of source, which is resolved, that of r.
func (r *result[R]) takeOver(s *worker, source *result[R]) {
	_, err := source.Outcome()
	if err == nil {
		r.value = source.value
	}
	r.finish(s, err)
}
