package freerun

import (
	"context"
	"unsafe"
)

// Call sends the operation to u, with arg, waits for its outcome and returns that: the one call for
// a handler, with the context of its request. If ctx is done before, Call returns ctx's error, and
// the operation is not started any more: Call has either seen to that, or the operation had begun
// before, runs to its end, and its result is dropped. Call waits for room in a mailbox with [Wait]
// no longer than that, too. What was given up keeps its place in a limited mailbox until the unit
// comes to it: see [Mailbox].
//
// If ctx is, or is derived from, a [Context] of u's runtime, the message has its scope and
// priority, and fails with the scope, and Call returns [ErrClosed] if the end of the runtime has
// ended ctx; of other contexts, what follows from the message learns
// nothing: give the request a scope ([Runtime.Scope]) if that is to be canceled with it.
//
// Call is for ordinary goroutines: inside an operation or an activity it returns an [ErrWouldBlock]
// at once, and sends nothing; an activity sends, and awaits the future. Otherwise it returns what
// [Operation.Send] says, at once if the message is refused. One allocation, which holds arg and
// result. It panics if ctx or u is nil.
func (o *Operation[S, A, R]) Call(ctx context.Context, u *Unit[S], arg A) (R, error) {
	return o.checked().callOn(ctx, u.checked(), arg)
}

// Call is as [Operation.Call], to no unit, in runtime rt. It panics if rt is nil.
func (o *FreeOperation[A, R]) Call(ctx context.Context, rt *Runtime, arg A) (R, error) {
	if rt == nil || rt.scheduler == nil {
		panic("freerun: Call with a nil or zero Runtime; make runtimes with New")
	}
	return o.checked().callOn(ctx, &rt.free, arg)
}

// Call is as [Operation.Call].
func (o *ReadOperation[S, A, R]) Call(ctx context.Context, u *Unit[S], arg A) (R, error) {
	return o.checked().callOn(ctx, u.checked(), arg)
}

// Call is [Operation.Call] to a and b; it returns [ErrSameUnit] too.
func (o *Operation2[S, T, A, R]) Call(ctx context.Context, a *Unit[S], b *Unit[T], arg A) (R, error) {
	m := &multiSend2[A, R]{}
	m.n = 2
	m.two[0].unit, m.two[1].unit = a.checked(), b.checked()
	return o.checked().callOn(ctx, a.unit.rt, &m.multiSend, arg)
}

// Call is as [Operation2.Call], to three units.
func (o *Operation3[S, T, U, A, R]) Call(ctx context.Context, x *Unit[S], y *Unit[T], z *Unit[U], arg A) (R, error) {
	m := &multiSend3[A, R]{}
	m.n = 3
	m.three[0].unit, m.three[1].unit, m.three[2].unit = x.checked(), y.checked(), z.checked()
	return o.checked().callOn(ctx, x.unit.rt, &m.multiSend, arg)
}

// Call is as [Operation2.Call], to all units, of which none may occur twice. If there are none, ctx
// must be, or be derived from, a [Context], which tells the runtime; it panics otherwise. Two
// allocations.
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

// callOn is Call to u.
func (o *operation[A, R]) callOn(ctx context.Context, u *unit, arg A) (R, error) {
	if err := u.rt.callable(ctx); err != nil {
		return *new(R), err
	}
	m := &sendMessage[A, R]{arg: arg}
	m.become(o.called)
	m.unit = u
	if err := m.accept(ctx, o.called); err != nil {
		return *new(R), err
	}
	w := u.rt.caller(ctx)
	o.launch(&u.rt.outside, m, &w.sender)
	return o.answer(w, m)
}

// callOn is Call to the units of m, of which the first is rt's.
func (o *multiOperation[A, R]) callOn(ctx context.Context, rt *Runtime, m *multiSend[A, R], arg A) (R, error) {
	if err := rt.callable(ctx); err != nil {
		return *new(R), err
	}
	s := &rt.outside
	m.offset = uint32(unsafe.Offsetof(m.multi))
	m.arg = arg
	m.become(o.called)
	m.unit = &rt.free
	if err := m.arrange(s); err != nil {
		rt.contextIn(ctx).blame(o.called, &m.message, err)
		return *new(R), err
	}
	if err := m.accept(ctx, o.called); err != nil {
		return *new(R), err
	}
	w := rt.caller(ctx)
	o.launch(s, &m.sendMessage, &w.sender)
	return o.answer(w, &m.sendMessage)
}

// answer waits for the outcome of m and returns it.
func (o *operation[A, R]) answer(w *caller, m *sendMessage[A, R]) (R, error) {
	err := w.await(o.called, &m.promise)
	f := Future[R]{cell: &m.result}
	f.seen()
	if err != nil {
		return *new(R), err
	}
	return f.Result()
}
