package freerun

import (
	"context"
	"sync/atomic"

	"github.com/freerun-go/freerun/internal/sched"
)

// Fork and join for a goroutine that does not run the operation of its context: an ordinary
// goroutine with the runtime's context, or a goroutine with the context of another operation.

// visit is a function that an ordinary goroutine has sent to a processor. The goroutine runs it
// itself if it comes to it first.
type visit struct {
	do      func(c *Context)
	taken   atomic.Bool
	ended   chan struct{}
	failure *PanicError
	future  Future[struct{}]
}

// ordinary reports whether the caller is an ordinary goroutine, and c a context for ordinary
// goroutines. Then the caller may send and wait.
func (c *Context) ordinary() bool { return c == c.rt.outside.leading(c.key) && !sched.Inside() }

// send sends do as a free operation.
func (c *Context) send(do func(c *Context)) *visit {
	v := &visit{do: do, ended: make(chan struct{})}
	v.future = Go(c, v.run)
	return v
}

// run is the free operation.
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

// take decides which side calls do: it returns true to one caller only.
func (v *visit) take() bool { return v.taken.CompareAndSwap(false, true) }

// wait waits until do, which a processor has taken, has ended. In a deterministic runtime it drives
// the runtime meanwhile, because no other goroutine does.
func (v *visit) wait(rt *Runtime) {
	_, _ = rt.env.waitUntil(context.Background(), v)
	<-v.ended
}

// reached reports whether do has ended.
func (v *visit) reached() bool {
	select {
	case <-v.ended:
		return true
	default:
		return false
	}
}

// visit calls do on a processor, and returns when do has returned. If do panics, visit panics as a
// join does. What cannot be sent is called right here, with c.
func (c *Context) visit(do func(c *Context)) {
	if !c.ordinary() {
		alone(c, do)
		return
	}
	v := c.send(do)
	if _, err := v.future.Wait(context.Background()); err != nil && v.take() {
		alone(c, do) // the runtime was closed before a processor took it
		return
	}
	v.wait(c.rt)
	if v.failure != nil {
		panic(v.failure)
	}
}

// alone calls fn right here; a panic of fn becomes the panic of a join.
func alone(c *Context, fn func(c *Context)) {
	defer func() {
		if v := recover(); v != nil {
			panic(branchPanic(v, functionName(codeOf(fn))))
		}
	}()
	fn(c)
}

// joinApart is Join for a goroutine that does not own c. An ordinary goroutine sends g, runs f, and
// then runs g too unless a processor has begun with it. Any other goroutine calls f and then g.
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
