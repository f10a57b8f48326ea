package freerun

import "unsafe"

// ForkFunc is a function that is declared once, with [NewForkFunc], to run in parallel with itself.
// It is the fast form of [Join], without closures. Any goroutine may use it.
type ForkFunc[A, R any] struct {
	fn func(c *Context, arg A) R
	definition[func(c *Context, arg A) R]
}

// NewForkFunc declares a function that can be forked. A function that forks itself gets its body
// later: as a package variable, it must not refer to itself.
//
//	var fib = freerun.NewForkFunc[int, int](nil)
//
//	var _ = fib.Define(func(c *freerun.Context, n int) int {
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
	o.define(&declaration{name: "a ForkFunc", place: place}, fn, func(fn func(c *Context, arg A) R) { o.fn = fn })
	return o
}

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
	return o.Join(c, a, b)
}

// Run calls the function. It is the way in for an ordinary goroutine: with the runtime's context,
// the function runs on a processor, as a free operation, and Run waits for it. If the function
// panics there, Run panics with a [*PanicError]. Inside an operation, Run is a plain call.
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
	return unready{unsafe.Pointer(&o.of), "NewForkFunc"}
}
