package freerun

import (
	"cmp"
	"context"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sched"
)

// caller stands for a goroutine in Call. It is itself a message, which waits for the promise of the
// sent message and wakes the goroutine. If the goroutine gives up after the sent message has begun,
// the caller stays in the list of that promise, and is not used again.
type caller struct {
	message
	sender
	woken chan struct{} // has room for one
}

// wakeCaller wakes the goroutine of caller m.
func wakeCaller(_ *worker, m *message) { (*caller)(unsafe.Pointer(m)).woken <- struct{}{} }

// valueKey is the key under which a Context, and contexts that are derived from it, have the
// Context.
type valueKey struct{}

// contextIn returns the context of rt for a message that is sent with ctx. It has the scope and
// priority of the Context that ctx is, or is derived from, if that is one of rt.
func (rt *Runtime) contextIn(ctx context.Context) *Context {
	if c, ok := ctx.Value(valueKey{}).(*Context); ok && c.rt == rt {
		return rt.outside.leading(c.key)
	}
	return &rt.context
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
	w.ctx, w.gaveUp = nil, false
	w.unit.rt.callers.Put(w)
}

// accept counts m, which is about to be sent with ctx, as admits does. It makes m revocable, so
// that the caller can give it up.
func (m *promised) accept(ctx context.Context, k *vtable) error {
	rt := m.unit.rt
	c := rt.contextIn(ctx)
	if err := rt.outside.admits(c, m.unit, &m.message); err != nil {
		c.blame(k, &m.message, err)
		return err
	}
	if !m.revocable() {
		m.lineage.Store(rt.calling(c.key))
	}
	return nil
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
	if waited, err := rt.env.waitUntil(ctx, m); waited {
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
	m.revoke(k, &CanceledError{Cause: cause})
	return true
}
