package freerun

import (
	"context"
	"unsafe"
)

// Call sends the operation to u, with arg, waits for its outcome and returns that. It is the one
// call that a handler needs, with the context of its request.
//
// If ctx is done before the outcome is there, Call returns ctx's error. If the operation has not
// begun by then, it never runs. If it has begun, it runs to its end, and its result is dropped.
// Call waits for room in a mailbox with [WaitForRoom] no longer than until ctx is done, too. A
// message that was given up keeps its place in a limited mailbox until the unit comes to it: see
// [MailboxLimit].
//
// If ctx is, or is derived from, a [Context] of u's runtime, the message has the scope and priority
// of that Context, and fails with the scope; and Call returns [ErrClosed] if the end of the runtime
// has ended ctx. Messages that follow from this one do not learn of the end of other contexts: give
// the request a scope ([Runtime.Scope]) if they are to be canceled with it.
//
// Call is for ordinary goroutines. Inside an operation or an activity it returns an [ErrWouldBlock]
// at once, and sends nothing; an activity sends, and awaits the future. Otherwise it returns the
// errors that [Operation.Send] documents, at once if the message is refused. Cost: one allocation,
// which holds arg and result. It panics if ctx or u is nil.
func (o *Operation[S, A, R]) Call(ctx context.Context, u *Unit[S], arg A) (R, error) {
	return o.checked().callOn(ctx, u.checked(), arg)
}

// Call is [Operation.Call] without a unit, in runtime rt. It panics if ctx or rt is nil.
func (o *FreeOperation[A, R]) Call(ctx context.Context, rt *Runtime, arg A) (R, error) {
	if rt == nil || rt.scheduler == nil {
		panic("freerun: Call with a nil or zero Runtime; make runtimes with New")
	}
	return o.checked().callOn(ctx, &rt.free, arg)
}

// Call is [Operation.Call] for an operation that only reads the state.
func (o *ReadOperation[S, A, R]) Call(ctx context.Context, u *Unit[S], arg A) (R, error) {
	return o.checked().callOn(ctx, u.checked(), arg)
}

// Call is [Operation.Call] to a and b. It returns [ErrSameUnit] if both are the same unit.
func (o *Operation2[S, T, A, R]) Call(ctx context.Context, a *Unit[S], b *Unit[T], arg A) (R, error) {
	m := &multiSend2[A, R]{}
	m.n = 2
	m.two[0].unit, m.two[1].unit = a.checked(), b.checked()
	return o.checked().callOn(ctx, a.unit.rt, &m.multiSend, arg)
}

// Call is [Operation2.Call] to three units.
func (o *Operation3[S, T, U, A, R]) Call(ctx context.Context, x *Unit[S], y *Unit[T], z *Unit[U], arg A) (R, error) {
	m := &multiSend3[A, R]{}
	m.n = 3
	m.three[0].unit, m.three[1].unit, m.three[2].unit = x.checked(), y.checked(), z.checked()
	return o.checked().callOn(ctx, x.unit.rt, &m.multiSend, arg)
}

// Call is [Operation2.Call] to all of units, of which none may occur twice. If units is empty, ctx
// must be a [Context], or be derived from one: it names the runtime. Otherwise Call panics. Cost:
// two allocations.
func (o *OperationAll[S, A, R]) Call(ctx context.Context, units []*Unit[S], arg A) (R, error) {
	mustContext(ctx)
	m := &multiSend[A, R]{}
	setUnits(&m.multi, units)
	if len(units) > 0 {
		return o.checked().callOn(ctx, units[0].unit.rt, m, arg)
	}
	c, ok := ctx.Value(valueKey{}).(*Context)
	if !ok {
		panic("freerun: Call to no units with a context of no runtime")
	}
	return o.checked().callOn(ctx, c.rt, m, arg)
}

// callOn is Call to u, the runtime's free unit for a free operation.
func (o *operation[A, R]) callOn(ctx context.Context, u *unit, arg A) (R, error) {
	if err := u.rt.callable(ctx); err != nil {
		return *new(R), err
	}
	m := &sendMessage[A, R]{arg: arg}
	m.become(o.sent)
	m.unit = u
	if err := m.accept(ctx, o.sent); err != nil {
		return *new(R), err
	}
	w := u.rt.caller(ctx)
	o.launch(&u.rt.outside, m, &w.sender)
	return o.answer(w, m)
}

// callOn is Call to the units of m. rt is the runtime of the first one.
func (o *multiOperation[A, R]) callOn(ctx context.Context, rt *Runtime, m *multiSend[A, R], arg A) (R, error) {
	if err := rt.callable(ctx); err != nil {
		return *new(R), err
	}
	on := &rt.outside
	m.offset = uint32(unsafe.Offsetof(m.multi))
	m.arg = arg
	m.become(o.sent)
	m.unit = &rt.free
	if err := m.arrange(on); err != nil {
		rt.contextIn(ctx).blame(o.sent, &m.message, err)
		return *new(R), err
	}
	if err := m.accept(ctx, o.sent); err != nil {
		return *new(R), err
	}
	w := rt.caller(ctx)
	o.launch(on, &m.sendMessage, &w.sender)
	return o.answer(w, &m.sendMessage)
}

// answer waits for the outcome of m, which w's goroutine has sent, and returns it.
func (o *operation[A, R]) answer(w *caller, m *sendMessage[A, R]) (R, error) {
	err := w.await(o.sent, &m.promised)
	f := Future[R]{cell: &m.result}
	f.traceSeen()
	if err != nil {
		return *new(R), err
	}
	return f.Result()
}
