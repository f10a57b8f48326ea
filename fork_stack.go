package freerun

import "unsafe"

// forkStack has the branches of one function that are forked and not joined: a stack of frames,
// each an argument. The oldest frames are exposed as jobs.
type forkStack[A, R any] struct {
	frames []A
	jobs   []*branch[A, R] // jobs[i] holds the argument of frames[i], which is exposed
	unused *branch[A, R]
	fn     func(c *Context, arg A) R
	c      *Context
}

// forkStackFor begins a run in the fork stack of the function that key stands for, and returns that
// stack, without its function yet if it is new. It returns nil if the caller's goroutine does not
// run c's operation.
func forkStackFor[A, R any](c *Context, key unsafe.Pointer) *forkStack[A, R] {
	if !c.owned() {
		return nil
	}
	f := &c.forks
	l, ok := f.known(key).(*forkStack[A, R])
	if !ok {
		l = &forkStack[A, R]{c: c}
		f.stacks[key] = l
	}
	f.enter(key, unsafe.Pointer(l), l)
	return l
}

func (l *forkStack[A, R]) height() int { return len(l.frames) }

func (l *forkStack[A, R]) expose(end int, _ bool) *job {
	i := len(l.jobs)
	if i >= end {
		return nil
	}
	b := l.unused
	if l.unused = nil; b == nil {
		b = newBranch(l.fn)
	}
	b.arg.Set(l.frames[i])
	l.frames[i] = *new(A)
	l.jobs = append(l.jobs, b)
	return &b.job
}

// drop removes the top frame, which is exposed.
func (l *forkStack[A, R]) drop() {
	h := len(l.frames) - 1
	l.frames = l.frames[:h]
	l.jobs[h] = nil
	l.jobs = l.jobs[:h]
}

// join ends the branch of the top frame, which is exposed: it runs the branch here, or waits for
// the thief that has it.
func (l *forkStack[A, R]) join() R {
	c, b := l.c, l.jobs[len(l.frames)-1]
	arg, mine, again := b.retake(c)
	if mine {
		l.drop()
		if again {
			l.unused = b
		}
		return l.fn(c, arg)
	}
	c.await(&b.job)
	l.drop()
	if e := b.failure.Get(); e != nil {
		panic(e)
	}
	return b.result.Get()
}

// unwind ends a join whose branch panicked with value, or ended its goroutine; then value is nil. h
// was the height before the join. unwind returns or panics after both branches have ended.
func (l *forkStack[A, R]) unwind(h int, value any) {
	var e *PanicError
	if value != nil {
		e = branchPanic(value, functionName(codeOf(l.fn)))
	}
	if len(l.frames) > h { // the first branch panicked: the second is not joined yet
		l.cancel(l.c)
	}
	if e != nil {
		panic(e)
	}
}

// cancel removes the branch of the top frame without running it. It waits if a thief runs it
// already.
func (l *forkStack[A, R]) cancel(c *Context) {
	h := len(l.frames) - 1
	if len(l.jobs) <= h {
		l.frames[h] = *new(A)
		l.frames = l.frames[:h]
		return
	}
	b := l.jobs[h]
	_, mine, again := b.retake(c)
	if again {
		l.unused = b
	}
	if !mine {
		c.await(&b.job)
		c.tellOther(b.failure.Get())
	}
	l.drop()
}
