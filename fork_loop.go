package freerun

import (
	"log/slog"
	"unsafe"
)

// For calls body with each index from 0 to n-1, in parallel as far as processors have nothing
// better to do, and returns when all calls have returned. A range is split when a processor asks
// for a part of it, and then in halves. So there is no grain to choose: it costs about what a plain
// loop of calls does. Indices that other processors do not take are called in order.
//
// If calls panic, For panics with a [*PanicError] of one of them, after all calls that were begun
// have ended. Calls that were not begun by then may not be made at all. All that is said of [Join]
// about contexts, units and Goexit holds here. From an ordinary goroutine, through
// [Runtime.Context], the loop is sent as a free operation and For waits for it. If no
// processor runs it, because the runtime has ended or c's scope is canceled, the calling goroutine
// makes all calls, in order, and For does not panic for that. n may be 0 or less: then nothing is
// called. For panics if c or body is nil.
func For(c *Context, n int, body func(c *Context, i int)) {
	if body == nil {
		panic("freerun: For with a nil function")
	}
	loop[struct{}]{each: body, grain: 1}.over(c, n)
}

// ForRange is [For] in pieces of at most grain indices: body gets the first index of a piece, and
// the one after its last. It suits bodies that do several indices together more cheaply, and bodies
// so small that the call counts. It panics if c or body is nil, or if grain is less than 1.
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
// is called with results of neighboring ranges, the left one first, and the grouping may differ
// from call to call. If n is 0 or less, the result is the zero T. Reduce panics if c, leaf or
// combine is nil.
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
	if c.rt.env.forks(c) {
		return s.runTimed(c)
	}
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

// visit sends the span to a processor and waits for it. What cannot be sent runs here, index after
// index.
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

// A loop is one frame in the stack of frames (fork_stack.go). It is split only when the offer is
// empty: the upper half of the remaining indices goes into the offer, and the loop goes on with the
// lower half. At the end of that half it joins the part that it gave away last, which is the next
// one in order: it takes the part back, or waits for the thief, which splits it in turn. So the
// pieces are as small as the thieves need them and no smaller (A. Tzannes et al., Lazy Scheduling,
// ACM TOPLAS 2014), and results are combined in the order of the indices.

// loop says what to do with each index: exactly one of each, chunk and leaf is set. It is copied
// into each part.
type loop[T any] struct {
	each    func(c *Context, i int)
	chunk   func(c *Context, from, to int)
	leaf    func(c *Context, i int) T
	combine func(a, b T) T
	grain   int // a rest of at most so many indices is given away whole
}

// span is a part of a loop.
type span[T any] struct {
	loop     loop[T]
	from, to int
}

// loopFrame is a part of a loop that is being run. next and to change while the loop's functions
// run, because a fork in such a function may give the rest away.
type loopFrame[T any] struct {
	loop     loop[T]
	next, to int
	parts    []*branch[span[T], T] // given away; the highest indices first
	sum      T
	summed   bool
}

// loopStack is the fork stack of the loops whose results have type T: the loops that are being run,
// each inside the one before.
type loopStack[T any] struct {
	frames []*loopFrame[T] // frames[top:] are unused
	top    int
	unused *branch[span[T], T]
}

// loopStackFor is forkStackFor for loops.
func loopStackFor[T any](c *Context, key unsafe.Pointer) *loopStack[T] {
	if !c.owned() {
		return nil
	}
	f := &c.forks
	l, ok := f.known(key).(*loopStack[T])
	if !ok {
		l = &loopStack[T]{}
		f.stacks[key] = l
	}
	f.enter(key, unsafe.Pointer(l), l)
	return l
}

func (l *loopStack[T]) height() int { return l.top }

func (l *loopStack[T]) expose(end int, all bool) *job {
	for _, f := range l.frames[:end] {
		rest := f.to - f.next
		if rest <= 0 {
			continue
		}
		keep := rest / 2
		if all || rest <= f.loop.grain {
			keep = 0
		}
		b := l.unused
		if l.unused = nil; b == nil {
			b = newBranch(runSpan[T])
		}
		b.arg.Set(span[T]{f.loop, f.next + keep, f.to})
		f.to = f.next + keep
		f.parts = append(f.parts, b)
		return &b.job
	}
	return nil
}

// push returns the frame for a part of a loop.
func (l *loopStack[T]) push(s *span[T]) *loopFrame[T] {
	if l.top == len(l.frames) {
		l.frames = append(l.frames, &loopFrame[T]{})
	}
	f := l.frames[l.top]
	l.top++
	f.loop, f.next, f.to = s.loop, s.from, s.to
	return f
}

// pop removes the top frame.
func (l *loopStack[T]) pop() {
	l.top--
	f := l.frames[l.top]
	clear(f.parts)
	*f = loopFrame[T]{parts: f.parts[:0]}
}

func runSpan[T any](c *Context, s span[T]) T { return s.run(c) }

// run runs the span, which must not be empty, and returns the combined result.
func (s *span[T]) run(c *Context) T {
	key := keyOf[loopStack[T]]()
	l := (*loopStack[T])(c.forks.stack(key))
	if l == nil {
		if l = loopStackFor[T](c, key); l == nil {
			return s.runApart(c)
		}
		defer c.forks.leave()
	}
	return l.run(c, s)
}

func (l *loopStack[T]) run(c *Context, s *span[T]) T {
	f, done := l.push(s), false
	defer func() {
		if !done {
			l.unwind(c, recover())
		}
	}()
	for {
		switch {
		case f.loop.each != nil:
			f.doEach(c)
		case f.loop.chunk != nil:
			f.doChunks(c)
		default:
			f.doSum(c)
		}
		if len(f.parts) == 0 {
			break
		}
		l.join(c, f)
	}
	sum := f.sum
	l.pop()
	done = true
	return sum
}

func (f *loopFrame[T]) doEach(c *Context) {
	each := f.loop.each
	for f.next < f.to {
		i := f.next
		f.next = i + 1
		if c.forks.offer.Empty() {
			c.publish()
		}
		each(c, i)
	}
}

func (f *loopFrame[T]) doChunks(c *Context) {
	for f.next < f.to {
		from := f.next
		to := from + min(f.loop.grain, f.to-from)
		f.next = to
		if c.forks.offer.Empty() {
			c.publish()
		}
		f.loop.chunk(c, from, to)
	}
}

func (f *loopFrame[T]) doSum(c *Context) {
	for f.next < f.to {
		i := f.next
		f.next = i + 1
		if c.forks.offer.Empty() {
			c.publish()
		}
		f.add(f.loop.leaf(c, i))
	}
}

func (f *loopFrame[T]) add(v T) {
	if f.summed {
		v = f.loop.combine(f.sum, v)
	}
	f.sum, f.summed = v, true
}

// join ends the part that was given away last: it makes that part the rest of f, or waits for the
// thief that has it and adds its result.
func (l *loopStack[T]) join(c *Context, f *loopFrame[T]) {
	b := f.parts[len(f.parts)-1]
	arg, mine, again := b.retake(c)
	if mine {
		f.drop()
		if again {
			l.unused = b
		}
		f.next, f.to = arg.from, arg.to
		return
	}
	c.await(&b.job)
	f.drop()
	if e := b.failure.Get(); e != nil {
		panic(e)
	}
	if f.loop.combine != nil {
		f.add(b.result.Get())
	}
}

// drop forgets the part that was given away last.
func (f *loopFrame[T]) drop() {
	n := len(f.parts) - 1
	f.parts[n] = nil
	f.parts = f.parts[:n]
}

// unwind is forkStack.unwind for a loop: it waits for the parts that thieves have, and drops the
// rest.
func (l *loopStack[T]) unwind(c *Context, value any) {
	f := l.frames[l.top-1]
	var e *PanicError
	if value != nil {
		e = branchPanic(value, f.loop.name())
	}
	for f.next = f.to; len(f.parts) > 0; f.drop() {
		b := f.parts[len(f.parts)-1]
		if _, mine, _ := b.retake(c); !mine {
			c.await(&b.job)
			c.tellOther(b.failure.Get())
		}
	}
	l.pop()
	if e != nil {
		panic(e)
	}
}

func (p *loop[T]) name() string {
	switch {
	case p.each != nil:
		return functionName(codeOf(p.each))
	case p.chunk != nil:
		return functionName(codeOf(p.chunk))
	}
	return functionName(codeOf(p.leaf))
}

// tellOther logs the panic of a branch if that panic does not reach the joiner, because the other
// branch panicked too, or called Goexit.
func (c *Context) tellOther(e *PanicError) {
	if e != nil {
		c.rt.log(slog.LevelError, "two branches panicked, and the joiner hears of the other one",
			"operation", e.Operation, "panic", e.Value, "stack", string(e.Stack))
	}
}
