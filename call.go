package freerun

import (
	"cmp"
	"context"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sched"
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
// If ctx is, or is derived from, a [Context] of u's runtime, the message has the scope, priority
// and values of that Context, and fails with the scope; and Call returns [ErrClosed] if the end of
// the runtime has ended ctx. Other values of ctx come along if [CarryValues] names them. Messages
// that follow from this one do not learn of the end of other contexts: give the request a scope
// ([Runtime.Scope]) if they are to be canceled with it.
//
// Call is for ordinary goroutines. Inside an operation or an activity it returns an [ErrWouldBlock]
// at once, and sends nothing; an activity sends, and awaits the future. Otherwise it returns the
// errors that [Operation.Send] documents, at once if the message is refused. Cost: one allocation,
// which holds arg and result; one more if ctx gives a priority or values, and no scope. It panics
// if ctx or u is nil.
func (o *Operation[S, A, R]) Call(ctx context.Context, u *Unit[S], arg A) (R, error) {
	return callOn(ctx, o.checked(), u.checked(), arg)
}

// Call is [Operation.Call] without a unit, in runtime rt. It panics if ctx or rt is nil.
func (o *FreeOperation[A, R]) Call(ctx context.Context, rt *Runtime, arg A) (R, error) {
	if rt == nil || rt.scheduler == nil {
		panic("freerun: Call with a nil or zero Runtime; make runtimes with New")
	}
	return callOn(ctx, o.checked(), &rt.free, arg)
}

// Call is [Operation.Call] for an operation that only reads the state.
func (o *ReadOperation[S, A, R]) Call(ctx context.Context, u *Unit[S], arg A) (R, error) {
	return callOn(ctx, o.checked(), u.checked(), arg)
}

// Call is [Operation.Call] to a and b. It returns [ErrSameUnit] if both are the same unit.
func (o *Operation2[S, T, A, R]) Call(ctx context.Context, a *Unit[S], b *Unit[T], arg A) (R, error) {
	m := &multiSend2[A, R]{}
	setTwo(&m.send.multi, &m.two, a.checked(), b.checked())
	return callSeveral(ctx, o.checked(), a.unit.rt, &m.send, arg)
}

// Call is [Operation2.Call] to all of units, of which none may occur twice. If units is empty, ctx
// must be a [Context], or be derived from one: it names the runtime. Otherwise Call panics. It
// allocates as [OperationAll.Tell] does.
func (o *OperationAll[S, A, R]) Call(ctx context.Context, units []*Unit[S], arg A) (R, error) {
	mustContext(ctx)
	m := &multiSend[A, R]{}
	setUnits(&m.multi, units)
	if len(units) > 0 {
		return callSeveral(ctx, o.checked(), units[0].unit.rt, m, arg)
	}
	c, ok := ctx.Value(valueKey{}).(*Context)
	if !ok {
		panic("freerun: Call to no units with a context of no runtime")
	}
	return callSeveral(ctx, o.checked(), c.rt, m, arg)
}

// callOn is Call to u, the runtime's free unit for a free operation.
func callOn[A, R any](ctx context.Context, o *operation[A, R], u *unit, arg A) (R, error) {
	if err := u.rt.callable(ctx); err != nil {
		return *new(R), err
	}
	m := &sendMessage[A, R]{arg: arg}
	if err := o.core.callOn(ctx, u, &m.result.promised); err != nil {
		return *new(R), err
	}
	return Future[R]{cell: &m.result}.Result()
}

// callOn sends m, and waits for its outcome. It returns the error of the wait.
func (o *core) callOn(ctx context.Context, u *unit, m *promised) error {
	m.start(o, u)
	c, err := m.accept(ctx, o.sent)
	if err != nil {
		return err
	}
	w := u.rt.caller(ctx)
	w.noWait = c.sender.noWait
	o.launch(&u.rt.outside, m, &w.sender)
	return o.answer(w, m)
}

// callSeveral is Call to the units of m. rt is the runtime of the first one.
func callSeveral[A, R any](ctx context.Context, o *operation[A, R], rt *Runtime, m *multiSend[A, R], arg A) (R, error) {
	if err := rt.callable(ctx); err != nil {
		return *new(R), err
	}
	m.send.arg = arg
	if err := o.core.callSeveral(ctx, rt, &m.send.result.promised, &m.multi); err != nil {
		return *new(R), err
	}
	return Future[R]{cell: &m.send.result}.Result()
}

// callSeveral is callOn for a message to several units.
func (o *core) callSeveral(ctx context.Context, rt *Runtime, m *promised, to *multi) error {
	on := &rt.outside
	to.offset = uint32(o.placed.multiAt)
	m.start(o, &rt.free)
	if err := to.arrange(on); err != nil {
		rt.contextIn(ctx).blame(o.sent, &m.message, err)
		return err
	}
	if _, err := m.accept(ctx, o.sent); err != nil {
		return err
	}
	w := rt.caller(ctx)
	o.launch(on, m, &w.sender)
	return o.answer(w, m)
}

// answer waits for the outcome of m, which w's goroutine has sent.
func (o *core) answer(w *caller, m *promised) error {
	err := w.await(o.sent, m)
	m.traceSeen()
	return err
}

// caller stands for a goroutine in Call. It is itself a message, which waits for the promise of the
// sent message and wakes the goroutine. If the goroutine gives up after the sent message has begun,
// the caller stays in the list of that promise, and is not used again.
type caller struct {
	message
	sender
	woken chan struct{} // has room for one
}

// wakeCaller wakes the goroutine of caller m.
func wakeCaller(_ *worker, m *message) {
	(*caller)(unsafe.Pointer(m)).woken <- struct{}{}
	sched.NoteWoken()
}

// valueKey is the key under which a Context, and contexts that are derived from it, have the
// Context.
type valueKey struct{}

// contextIn returns the context of rt for a message that is sent with ctx. It has the scope, the
// priority and the values of the Context that ctx is, or is derived from, if that is one of rt.
func (rt *Runtime) contextIn(ctx context.Context) *Context {
	c := &rt.context
	in, own := ctx.Value(valueKey{}).(*Context)
	if own && in.rt == rt {
		c = rt.outside.contextFor(in.key)
	}
	if rt.carried != nil && !(own && in.rt == rt && ctx == context.Context(in)) {
		c = c.carrying(ctx)
	}
	if own && in.rt == rt && in.sender.noWait {
		return c.NoWait()
	}
	return c
}

// callable returns the error of a Call to rt that must not be sent, nil if it may: the goroutine
// runs an operation or an activity, or ctx is done.
func (rt *Runtime) callable(ctx context.Context) error {
	mustContext(ctx)
	if sched.Inside() {
		return refusalHere(ErrWouldBlock, errActivityCalls)
	}
	if by := rt.unlinked(ctx); by.Err() != nil {
		return rt.errorOf(by)
	}
	return nil
}

// errorOf returns the error of a wait that has ended because ctx is done. It is ErrClosed if the
// end of rt has ended ctx, that is, a context of rt or one that is derived from it. So the error
// does not depend on whether the waiter hears first of ctx or of the end of rt.
func (rt *Runtime) errorOf(ctx context.Context) error {
	if rt.phase.Load() >= aborting && context.Cause(ctx) == ErrClosed {
		return ErrClosed
	}
	return ctx.Err()
}

// unlinked returns the context that ends with ctx, but not with the end of rt, if ctx is a Context
// of rt. A caller hears of the end of rt anyway. To ask the Context itself would link its scope to
// the runtime's end, which costs a registration with package context.
func (rt *Runtime) unlinked(ctx context.Context) context.Context {
	c, ok := ctx.(*Context)
	switch {
	case !ok || c == nil || c.rt != rt:
		return ctx
	case c.Scope() == nil:
		return context.Background()
	}
	return c.Scope().ctx
}

// caller returns a caller for a Call with ctx, from the pool if it has one.
func (rt *Runtime) caller(ctx context.Context) *caller {
	w, ok := rt.callers.Get().(*caller)
	if !ok {
		w = &caller{woken: make(chan struct{}, 1)}
		w.become(callerVtable)
		w.unit = &rt.free
	}
	w.ctx = rt.unlinked(ctx)
	return w
}

// release gives the caller, which must be in no list, back to the pool.
func (w *caller) release() {
	w.sender = sender{}
	w.unit.rt.callers.Put(w)
}

// accept counts m, which is about to be sent with ctx, as admits does. It makes m revocable, so
// that the caller can give it up. It returns the context for which it has done so.
func (m *promised) accept(ctx context.Context, k *vtable) (*Context, error) {
	rt := m.unit.rt
	c := rt.contextIn(ctx)
	if err := rt.outside.admits(c, m.unit, &m.message); err != nil {
		c.blame(k, &m.message, err)
		return c, err
	}
	if !m.revocable() {
		m.lineage.Store(rt.calling(c.key))
	}
	return c, nil
}

// await waits until the sent message m has an outcome, and returns nil. If the caller's ctx is done
// before, await revokes m, unless m has begun, and returns ctx's error; ErrClosed if the end of the
// runtime has ended ctx.
func (w *caller) await(k *vtable, m *promised) error {
	ctx, rt := w.ctx, w.unit.rt
	if w.gaveUp {
		w.release()
		return ctx.Err()
	}
	if waited, err := rt.env.driveUntil(ctx, m); waited {
		w.release()
		// If ctx is not done, err says that nothing is left to run.
		if err != nil && !m.giveUp(k, cmp.Or(context.Cause(ctx), err)) {
			return nil
		}
		return err
	}
	if m.closedNow() || !m.notify(&w.message) {
		w.release()
		return nil
	}
	var canceled <-chan struct{}
	// A context that is derived from a Context need not end with its scope (context.WithoutCancel).
	if x := m.scope(); x != nil && ctx != x.ctx {
		canceled = x.ctx.Done()
	}
	for {
		select {
		case <-w.woken:
			w.release()
			return nil
		case <-canceled:
			m.revokeCanceled()
			canceled = nil // if m has begun, the caller waits for its end
		case <-rt.finished:
			m.closedNow() // m is closed by now, and the caller was woken, or is being woken
			<-w.woken
			w.release()
			return nil
		case <-ctx.Done():
			gaveUp := m.giveUp(k, context.Cause(ctx))
			if !m.Open() {
				<-w.woken
				w.release()
			} // otherwise m has begun, and keeps the caller in its list
			if gaveUp {
				return rt.errorOf(ctx)
			}
			return nil
		}
	}
}

// giveUp revokes m because of cause, unless m has begun. It returns false if m has an outcome for
// the caller.
func (m *promised) giveUp(k *vtable, cause error) bool {
	m.revokeCanceled()
	if !m.Open() {
		return false
	}
	m.revoke(k, &canceledError{Cause: cause})
	return true
}
