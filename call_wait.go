package freerun

import (
	"cmp"
	"context"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sched"
)

// sender is the goroutine that sends a message, at the send.
type sender struct {
	ctx    context.Context // of Call, unlinked, which waits for room no longer than that; nil otherwise
	gaveUp bool            // it waited for room until ctx was done
}

// anySender is every sender but those in Call.
var anySender = &sender{}

// context returns a context that limits the sender's wait for room.
func (f *sender) context() context.Context {
	if f.ctx == nil {
		return context.Background()
	}
	return f.ctx
}

// over returns why l does not wait for room any more, nil if it may. One end brings others: the end
// of the runtime that of scopes, that of a scope the end of contexts that are derived from its own.
// So the order is the same whichever of them the sender hears of first.
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

// caller is a goroutine in Call: the letter that wakes it. A caller that gives up after its message
// has begun leaves the letter with the message, and is not used again.
type caller struct {
	message
	sender
	woken chan struct{} // has room for one
}

var callerVtable = newVtable(vtable{name: "caller", wake: wakeCaller}, nil)

func wakeCaller(_ *worker, l *message) { (*caller)(unsafe.Pointer(l)).woken <- struct{}{} }

type valueKey struct{}

// contextIn returns the context to send through for a goroutine that has ctx: with the scope and
// priority that it leads to, if they are rt's.
func (rt *Runtime) contextIn(ctx context.Context) *Context {
	if c, ok := ctx.Value(valueKey{}).(*Context); ok && c.rt == rt {
		return rt.outside.leading(c.key)
	}
	return &rt.context
}

// callable returns why Call to rt cannot be used by the goroutine that is there.
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

// errorOf returns the error of a wait that has ended because ctx is done: ErrClosed if the end of rt
// has ended ctx, which is, or is derived from, a context of rt. Then the answer does not depend on
// which of the two the waiter hears of first.
func (rt *Runtime) errorOf(ctx context.Context) error {
	if rt.phase.Load() >= aborting && context.Cause(ctx) == ErrClosed {
		return ErrClosed
	}
	return ctx.Err()
}

// unlinked returns what ends ctx besides the end of rt, which a caller hears of anyway: to ask a
// Context has its scope linked to the runtime.
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

// caller returns one for ctx.
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

// release gives the caller back, whose letter is in no list.
func (w *caller) release() {
	w.ctx, w.gaveUp = nil, false
	w.unit.rt.callers.Put(w)
}

// accept counts a message to u that is about to be sent in ctx, as admits does, and makes it one
// that the caller can revoke.
func (m *promise) accept(ctx context.Context, k *vtable) error {
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

// await waits until m, which was sent, has an outcome, and returns nil; or, if ctx is done before,
// revokes m, unless it has begun, and returns ctx's error, ErrClosed if that is the end of the runtime.
func (w *caller) await(k *vtable, m *promise) error {
	ctx, rt := w.ctx, w.unit.rt
	switch {
	case w.gaveUp:
		w.release()
		return ctx.Err()
	case rt.deterministic():
		w.release()
		err := rt.driveUntil(ctx, m.closedNow)
		if err != nil && !m.giveUp(k, cmp.Or(context.Cause(ctx), err)) { // err: nothing is left to run
			return nil
		}
		return err
	case m.closedNow() || !m.notify(&w.message):
		w.release()
		return nil
	}
	var canceled <-chan struct{}
	if x := m.scope(); x != nil && ctx != x.ctx { // what is derived from a Context may not end with its scope
		canceled = x.ctx.Done()
	}
	for {
		select {
		case <-w.woken:
			w.release()
			return nil
		case <-canceled:
			m.revokeCanceled()
			canceled = nil // one that has begun is waited for
		case <-rt.finished:
			m.closedNow() // it is now, and the letter was woken, or is in this moment
			<-w.woken
			w.release()
			return nil
		case <-ctx.Done():
			gaveUp := m.giveUp(k, context.Cause(ctx))
			if !m.open() {
				<-w.woken
				w.release()
			} // otherwise it has begun, and keeps the letter
			if gaveUp {
				return rt.errorOf(ctx)
			}
			return nil
		}
	}
}

// giveUp revokes m because of cause, unless it has begun. It returns false if there is an outcome for
// the caller.
func (m *promise) giveUp(k *vtable, cause error) bool {
	m.revokeCanceled()
	if !m.open() {
		return false
	}
	m.revoke(k, &CanceledError{Cause: cause})
	return true
}
