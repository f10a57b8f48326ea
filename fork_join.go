package freerun

import "unsafe"

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
// goroutine also runs g if no processor has begun with it by then, and otherwise waits for it. Both
// are called one after the other with another goroutine's context, with a context made from the
// operation's own ([Context.WithPriority], [Context.WithScope]), after [Context.Block], and in an
// operation of another runtime. Join panics if c, f or g is nil.
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
	return Join(c, f, g)
}

func invoke[B any](c *Context, g func(c *Context) B) B { return g(c) }

// keyOf returns a pointer that stands for the type B: Go's descriptor of *B. If Go describes a type
// twice, the type has two fork stacks, which is harmless.
func keyOf[B any]() unsafe.Pointer {
	var none any = (*B)(nil)
	return *(*unsafe.Pointer)(unsafe.Pointer(&none))
}
