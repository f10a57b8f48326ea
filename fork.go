package freerun

import (
	"context"
	"sync/atomic"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sched"
)

// Join calls f and g, in parallel if a processor has nothing better to do, and returns what they
// return. With it an operation makes its own computation parallel: f runs here, and so does g
// afterwards, unless another processor has come for it in the meantime. Branches may join in turn,
// to any depth, and send through the context that they are given, not through the outer one. While
// its branch is elsewhere, Join helps with what that branch has forked, or else lets the processor
// do other work.
//
// A branch that panics, or calls runtime.Goexit, makes Join panic with a [*PanicError] that has the
// branch's stack, after both branches have ended; g is not started if f has panicked before. If
// both panic, f's panic counts and g's is logged. (Goexit in a branch that runs here ends the
// operation, as everywhere.) [Forward] in a branch is refused.
//
// On a unit, the branches of its operation run at the same time. So none of them may write what
// another one touches of the unit's state.
//
// Join may be called by operations and in branches. From an ordinary goroutine, through
// [Runtime.Context], g is sent as a free operation while f runs on the goroutine itself. The
// goroutine also runs g if no processor has begun with it by then, as it does when the runtime has
// ended or c's scope is canceled, and otherwise waits for it. In
// four cases Join calls f and then g on the calling goroutine: if c is the context of an operation
// that runs on another goroutine, if c was made from the operation's own context
// ([Context.WithPriority], [Context.WithScope]), after [Context.Block], and in an operation of
// another runtime. Join panics if c, f or g is nil.
//
// It allocates once if g has captured variables; [ForkFunc.Join] allocates nothing.
func Join[A, B any](c *Context, f func(c *Context) A, g func(c *Context) B) (a A, b B) {
	if f == nil || g == nil {
		panic("freerun: Join with a nil function")
	}
	key := keyOf[B]()
	l := (*forkStack[func(*Context) B, B])(c.checked().forks.stack(key))
	if l == nil {
		return joinEntering(c, key, f, g)
	}
	h, done := len(l.frames), false
	l.frames = append(l.frames, g)
	defer func() {
		if !done {
			l.unwind(h, recover())
		}
	}()
	if c.forks.offer.Empty() {
		c.publish()
	}
	a = f(c)
	if len(l.jobs) > h {
		b = l.join()
	} else {
		g = l.frames[h]
		l.frames[h] = nil
		l.frames = l.frames[:h]
		if c.forks.offer.Empty() {
			c.publish()
		}
		b = g(c)
	}
	done = true
	return a, b
}

// joinEntering is Join while the top run lies in another fork stack.
func joinEntering[A, B any](c *Context, key unsafe.Pointer, f func(c *Context) A, g func(c *Context) B) (a A, b B) {
	l := forkStackFor[func(*Context) B, B](c, key)
	if l == nil {
		return joinApart(c, f, g)
	}
	if l.fn == nil { // the test saves an allocation: naming a generic function costs one
		l.fn = invoke[B]
	}
	defer c.forks.leave()
	if c.rt.env.entersJoin(c) {
		b = l.joinTimed(c, func() { a = f(c) }, g)
		return a, b
	}
	return Join(c, f, g)
}

func invoke[B any](c *Context, g func(c *Context) B) B { return g(c) }

// keyOf returns a pointer that stands for the type B: Go's descriptor of *B. If Go describes a type
// twice, the type has two fork stacks, which is harmless.
func keyOf[B any]() unsafe.Pointer {
	var none any = (*B)(nil)
	return *(*unsafe.Pointer)(unsafe.Pointer(&none))
}

// ForkFunc is a function that is declared once, with [NewForkFunc], to run in parallel with itself.
// It is the fast form of [Join], without closures. Any goroutine may use it.
type ForkFunc[A, R any] struct {
	fn         func(c *Context, arg A) R
	definition definition[func(c *Context, arg A) R]
}

// NewForkFunc declares a function that can be forked. A function that forks itself gets its body
// later: as a package variable, it must not refer to itself.
//
//	var fib = freerun.NewForkFunc[int, int](nil)
//
//	var _ = freerun.Define(fib, func(c *freerun.Context, n int) int {
//		if n < 2 {
//			return n
//		}
//		x, y := fib.Join(c, n-1, n-2)
//		return x + y
//	})
//
// Declare a function once, not at each use: what processors keep for it lives as long as the
// runtime.
func NewForkFunc[A, R any](fn func(c *Context, arg A) R) *ForkFunc[A, R] {
	o := &ForkFunc[A, R]{}
	_, place := declarer()
	o.definition.define(&declaration{name: "a ForkFunc", place: place}, fn, func(fn func(c *Context, arg A) R) { o.fn = fn })
	return o
}

func (o *ForkFunc[A, R]) giveFunction(fn func(c *Context, arg A) R) { o.definition.giveFunction(fn) }

// Join calls the function with a and with b, in parallel if a processor has nothing better to do,
// and returns both results. All that is said of the function [Join] holds. It allocates nothing,
// unless another processor takes the second branch.
func (o *ForkFunc[A, R]) Join(c *Context, a, b A) (x, y R) {
	l := (*forkStack[A, R])(c.checked().forks.stack(unsafe.Pointer(o)))
	if l == nil {
		return o.enter(c, a, b)
	}
	h, done := len(l.frames), false
	l.frames = append(l.frames, b)
	defer func() {
		if !done {
			l.unwind(h, recover())
		}
	}()
	if c.forks.offer.Empty() {
		c.publish()
	}
	x = o.fn(c, a)
	if len(l.jobs) > h {
		y = l.join()
	} else {
		b = l.frames[h]
		l.frames[h] = *new(A)
		l.frames = l.frames[:h]
		if c.forks.offer.Empty() {
			c.publish()
		}
		y = o.fn(c, b)
	}
	done = true
	return x, y
}

// enter is Join while the top run lies in another fork stack.
func (o *ForkFunc[A, R]) enter(c *Context, a, b A) (x, y R) {
	l := forkStackFor[A, R](c, unsafe.Pointer(o.checked()))
	if l == nil {
		return o.apart(c, a, b)
	}
	l.fn = o.fn
	defer c.forks.leave()
	if c.rt.env.entersJoin(c) {
		y = l.joinTimed(c, func() { x = o.fn(c, a) }, b)
		return x, y
	}
	return o.Join(c, a, b)
}

// Run calls the function. It is the way in for an ordinary goroutine: with the runtime's context,
// the function runs on a processor, as a free operation, and Run waits for it. If the function
// panics there, Run panics with a [*PanicError]. If no processor runs it, because the runtime has
// ended or c's scope is canceled, it runs on the calling goroutine, without an error, as in [For].
// Inside an operation, Run is a plain call.
func (o *ForkFunc[A, R]) Run(c *Context, arg A) R {
	if fn := o.checked().fn; !c.checked().ordinary() {
		return fn(c, arg)
	}
	return o.visit(c, arg)
}

func (o *ForkFunc[A, R]) visit(c *Context, arg A) (result R) {
	c.visit(func(c *Context) { result = o.fn(c, arg) })
	return result
}

// apart is Join for a goroutine that does not own c.
func (o *ForkFunc[A, R]) apart(c *Context, a, b A) (R, R) {
	return joinApart(c, func(c *Context) R { return o.fn(c, a) }, func(c *Context) R { return o.fn(c, b) })
}

func (o *ForkFunc[A, R]) checked() *ForkFunc[A, R] {
	if o == nil || o.fn == nil {
		panic(o.unready())
	}
	return o
}

func (o *ForkFunc[A, R]) unready() unready {
	if o == nil {
		return unready{nil, "NewForkFunc"}
	}
	return unready{unsafe.Pointer(&o.definition.of), "NewForkFunc"}
}

// Fork and join for a goroutine that does not run the operation of its context: an ordinary
// goroutine with the runtime's context, or a goroutine with the context of another operation.

// visit is a function that an ordinary goroutine has sent to a processor. If no processor has begun
// it when the goroutine comes to it, the goroutine runs it itself.
type visit struct {
	do      func(c *Context)
	taken   atomic.Bool
	ended   chan struct{}
	failure *PanicError
	future  Future[struct{}]
}

// ordinary reports whether the caller is an ordinary goroutine, and c a context for ordinary
// goroutines. Then the caller may send and wait.
func (c *Context) ordinary() bool { return c == c.rt.outside.contextFor(c.key) && !sched.Inside() }

// send sends do as a free operation.
func (c *Context) send(do func(c *Context)) *visit {
	v := &visit{do: do, ended: make(chan struct{})}
	v.future = Go(c, v.run)
	return v
}

// run is the free operation that send has sent.
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
	_, _ = rt.env.driveUntil(context.Background(), v)
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
	if v.future.Wait(context.Background()); v.take() {
		alone(c, do) // the runtime was closed before a processor took it, or an interceptor kept it
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
