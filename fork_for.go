package freerun

// For calls body with each index from 0 to n-1, in parallel as far as processors have nothing
// better to do, and returns when all calls have returned. A range is split when a processor asks
// for a part of it, and then in halves. So there is no grain to choose: it costs about what a plain
// loop of calls does. Indices that other processors do not take are called in order.
//
// If calls panic, For panics with a [*PanicError] of one of them, after all that was begun has
// ended; of what was not begun, some is not run. All that is said of [Join] about contexts, units
// and Goexit holds here. From an ordinary goroutine, through [Runtime.Context], the loop is sent as
// a free operation and For waits for it. n may be 0 or less: then nothing is called. For panics if
// c or body is nil.
func For(c *Context, n int, body func(c *Context, i int)) {
	if body == nil {
		panic("freerun: For with a nil function")
	}
	loop[struct{}]{each: body, grain: 1}.over(c, n)
}

// ForRange is [For] in pieces of at most grain indices, given as from and to, which is not
// included. It suits bodies that do several indices together more cheaply, and bodies so small
// that the call counts. It panics if c or body is nil, or if grain is less than 1.
func ForRange(c *Context, n, grain int, body func(c *Context, from, to int)) {
	if body == nil {
		panic("freerun: ForRange with a nil function")
	}
	if grain < 1 {
		panic("freerun: ForRange needs a grain of at least 1")
	}
	loop[struct{}]{chunk: body, grain: grain}.over(c, n)
}

// Reduce calls leaf with each index from 0 to n-1, in parallel as [For] does, and combines the
// results in the order of the indices. combine must be associative, and need not be commutative: it
// is called with results of neighboring ranges, the left one first, and grouped differently each
// time. If n is 0 or less, the result is the zero T. Reduce panics if c, leaf or combine is nil.
func Reduce[T any](c *Context, n int, leaf func(c *Context, i int) T, combine func(a, b T) T) T {
	if leaf == nil || combine == nil {
		panic("freerun: Reduce with a nil function")
	}
	return loop[T]{leaf: leaf, combine: combine, grain: 1}.over(c, n)
}

// over runs the loop over the indices from 0 to n-1.
func (p loop[T]) over(c *Context, n int) (sum T) {
	if c.checked(); n <= 0 {
		return sum
	}
	s := span[T]{p, 0, n}
	return s.run(c)
}

// runApart is run for a goroutine that does not own c.
func (s *span[T]) runApart(c *Context) (sum T) {
	if !c.ordinary() {
		alone(c, func(c *Context) { sum = s.serially(c) })
		return sum
	}
	return (*s).visit(c)
}

// visit runs the span on a processor.
func (s span[T]) visit(c *Context) (sum T) {
	c.visit(func(v *Context) {
		if v != c {
			sum = s.run(v)
		} else {
			sum = s.serially(v)
		}
	})
	return sum
}

// serially runs the span right here, index after index.
func (s *span[T]) serially(c *Context) T {
	f := loopFrame[T]{loop: s.loop, next: s.from, to: s.to}
	for i := s.from; i < s.to; i++ {
		switch p := &f.loop; {
		case p.each != nil:
			p.each(c, i)
		case p.chunk != nil:
			p.chunk(c, i, min(i+p.grain, s.to))
			i += p.grain - 1
		default:
			f.add(p.leaf(c, i))
		}
	}
	return f.sum
}
