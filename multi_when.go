package freerun

import "unsafe"

// When2 sends fn to two units. fn has both states to itself while it runs, runs to its end, and
// must not wait. When2 returns the future of its result at once. It is [Operation2.Send] for a
// function that has no name, with the same order and the same errors: the message comes into the
// order of both units at one instant; nothing waits and nothing deadlocks, in whatever order the
// units are given; the same unit twice is an [ErrSameUnit]. As with [Do], the runtime cannot look
// into the function, so futures that it has captured are not waited for. It panics if c, a unit
// or fn is nil.
func When2[S, T, R any](c *Context, a *Unit[S], b *Unit[T], fn func(c *Context, a *S, b *T) (R, error)) Future[R] {
	if fn == nil {
		panic("freerun: When2 with a nil function")
	}
	o := closureOf[multiOperation[func(*Context, *S, *T) (R, error), R]](func(c *Context, to unsafe.Pointer, fn func(*Context, *S, *T) (R, error)) (R, error) {
		c.function.Store(codeOf(fn))
		parts := (*multi)(to).all()
		return fn(c, stateOf[S](unsafe.Pointer(parts[0].unit)), stateOf[T](unsafe.Pointer(parts[1].unit)))
	})
	m := &multiSend2[func(*Context, *S, *T) (R, error), R]{}
	m.n = 2
	m.two[0].unit, m.two[1].unit = a.checked(), b.checked()
	return o.send(c.checked(), &m.multiSend, fn)
}

// When3 is When2 for three units.
func When3[S, T, U, R any](c *Context, x *Unit[S], y *Unit[T], z *Unit[U], fn func(c *Context, x *S, y *T, z *U) (R, error)) Future[R] {
	if fn == nil {
		panic("freerun: When3 with a nil function")
	}
	o := closureOf[multiOperation[func(*Context, *S, *T, *U) (R, error), R]](func(c *Context, to unsafe.Pointer, fn func(*Context, *S, *T, *U) (R, error)) (R, error) {
		c.function.Store(codeOf(fn))
		parts := (*multi)(to).all()
		return fn(c, stateOf[S](unsafe.Pointer(parts[0].unit)), stateOf[T](unsafe.Pointer(parts[1].unit)), stateOf[U](unsafe.Pointer(parts[2].unit)))
	})
	m := &multiSend3[func(*Context, *S, *T, *U) (R, error), R]{}
	m.n = 3
	m.three[0].unit, m.three[1].unit, m.three[2].unit = x.checked(), y.checked(), z.checked()
	return o.send(c.checked(), &m.multiSend, fn)
}

// WhenAll is When2 for any number of units with states of one type, none included. fn gets their
// states in the order of units, and must not keep the slice; units may be used again at once.
func WhenAll[S, R any](c *Context, units []*Unit[S], fn func(c *Context, states []*S) (R, error)) Future[R] {
	if fn == nil {
		panic("freerun: WhenAll with a nil function")
	}
	o := closureOf[multiOperation[func(*Context, []*S) (R, error), R]](func(c *Context, to unsafe.Pointer, fn func(*Context, []*S) (R, error)) (R, error) {
		c.function.Store(codeOf(fn))
		return fn(c, statesOf[S]((*multi)(to)))
	})
	m := &multiSend[func(*Context, []*S) (R, error), R]{}
	setUnits(&m.multi, units)
	return o.send(c.checked(), m, fn)
}
