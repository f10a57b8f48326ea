package freerun

import (
	"context"
	"sync/atomic"

	"github.com/freerun-go/freerun/internal/sched"
)

// Fork and join for a goroutine that runs no operation of the context that it has: an ordinary one with the runtime's context, or one that has
// somebody else's.

// visit is something that an ordinary goroutine has sent to be done on a processor, unless the goroutine comes to it first.
type visit struct {
	do      func(c *Context)
	taken   atomic.Bool
	ended   chan struct{}
	failure *PanicError
	future  Future[struct{}]
}

// ordinary reports whether the goroutine that is there is an ordinary one with a context for such, so that it may send and wait.
func (c *Context) ordinary() bool { return c == c.rt.outside.leading(c.key) && !sched.Inside() }

// send sends do as a free operation.
func (c *Context) send(do func(c *Context)) *visit {
	v := &visit{do: do, ended: make(chan struct{})}
	v.future = Go(c, v.run)
	return v
}

// run is the operation.
func (v *visit) run(c *Context) (struct{}, error) {
	if !v.take() {
		return struct{}{}, nil
	}
	returned := false
	defer func() {
		if !returned {
			v.failure = branchPanic(recover(), functionName(codeOf(v.do)))
		}
		close(v.ended)
	}()
	v.do(c)
	returned = true
	return struct{}{}, nil
}

// take reports whether the caller is the one to do it.
func (v *visit) take() bool { return v.taken.CompareAndSwap(false, true) }

// wait waits until what was begun has ended. In a deterministic runtime nobody else runs it.
func (v *visit) wait(rt *Runtime) {
	if rt.deterministic() {
		_ = rt.driveUntil(context.Background(), v.hasEnded)
	}
	<-v.ended
}

func (v *visit) hasEnded() bool {
	select {
	case <-v.ended:
		return true
	default:
		return false
	}
}

// visit has do done on a processor, and returns when it has returned; if do panicked, it panics as a join does. What cannot be sent is done
// right here, with c.
func (c *Context) visit(do func(c *Context)) {
	if !c.ordinary() {
		alone(c, do)
		return
	}
	v := c.send(do)
	if _, err := v.future.Wait(context.Background()); err != nil && v.take() {
		alone(c, do) // the runtime was closed before it was started
		return
	}
	v.wait(c.rt)
	if v.failure != nil {
		panic(v.failure)
	}
}

// alone calls fn right here.
func alone(c *Context, fn func(c *Context)) {
	defer func() {
		if v := recover(); v != nil {
			panic(branchPanic(v, functionName(codeOf(fn))))
		}
	}()
	fn(c)
}

// joinApart is Join: f is run here, and g too unless a processor has begun with it.
func joinApart[A, B any](c *Context, f func(c *Context) A, g func(c *Context) B) (a A, b B) {
	if !c.ordinary() {
		alone(c, func(c *Context) { a, b = f(c), g(c) })
		return a, b
	}
	var sent B
	v := c.send(func(c *Context) { sent = g(c) })
	joined := false
	defer func() {
		if !joined && !v.take() {
			v.wait(c.rt)
			c.tellOther(v.failure)
		}
	}()
	alone(c, func(c *Context) { a = f(c) })
	joined = true
	if v.take() {
		alone(c, func(c *Context) { b = g(c) })
		return a, b
	}
	v.wait(c.rt)
	if v.failure != nil {
		panic(v.failure)
	}
	return a, sent
}
