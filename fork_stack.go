package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/park"
	"github.com/freerun-go/freerun/internal/sys/goid"
)

// Source:     R. Blumofe and C. Leiserson, Scheduling Multithreaded Computations by Work Stealing,
//             J. ACM 1999 (steal the oldest);
//             D. Wagner and B. Calder, Leapfrogging, PPoPP 1993 (what a join does meanwhile);
//             U. Acar, A. Charguéraud and M. Rainey, Scheduling Parallel Programs by Work Stealing
//             with Private Deques, PPoPP 2013 (publish when asked).
//             Ours: the empty offer itself is the question, and the private deque consists of one
//             stack of typed frames for each function.
// Terms:      A frame is a fork that is not joined yet. A fork stack (forkStack, loopStack) has the
//             frames of one function, or of loops of one type. The frame stack of a Context has
//             all its frames, and a run is a piece of that. To expose a frame is to make a job of
//             it, so that thieves can take it.
// Sketch:     join(f, g):   push g; if offer is empty: expose the oldest unexposed frame in it
//                           f(); pop; if g was not exposed: g()
//                           else: take g back from the offer, or claim it → g();
//                           if it is stolen → await it (fork_await.go)
//             thief:        take a job from an offer or deque; claim it; run it; done;
//                           wake the joiner (fork_job.go)
// Invariants: I1 Frames of one Context are a stack: what was forked last is joined first.
//             The API has no other order, and unwinding joins too.
//             I2 Runs cut that stack, oldest first, into pieces.
//             A piece lies in one fork stack and belongs to one job.
//             Only the top run changes.
//             I3 Exposed frames are the oldest:
//             in each fork stack a prefix, and all frames of the runs before the first open run.
//             I4 The offer holds the job that was exposed last, or nothing.
//             publishAll moves that job to the deque, and exposes the rest there.
//             Not invariant: that a frame's job is in the offer. It may be in a deque, or with a
//             thief.
// Progress:   fork is wait-free, and so is a join of a branch that was not stolen. A join of a
//             stolen branch waits for the thief, and gives its processor away meanwhile.
// Publish:    a job's argument before the offer's word; its result and failure before its state
//             says done.
// ABA/memory: a job that was taken back from the offer is used again. A thief that saw it there
//             holds an old number of the offer, so its CAS fails (internal/sched/slot.go). A job
//             that went into a deque, or was claimed, is left to the collector.
// Cost:       fork and join while the offer is full: no atomic read-modify-write and no allocation.
//             Exposed and taken back: one atomic store and one CAS. Stolen: one allocation.
// Checked by: TestJoin…, TestFor…, TestExploreJob…

// forks has what an operation has forked and not joined yet. It belongs to the goroutine that runs
// the operation.
type forks struct {
	// home is that goroutine, 0 while it is not known. Other goroutines read it, and see that it is
	// not theirs.
	home  atomics.RelaxedUintptr
	offer *sched.Offer   // of the processor
	key   unsafe.Pointer // of the fork stack in which the top run lies
	last  unsafe.Pointer // that fork stack
	*forkParts
}

// forkParts has the fields that a fork into the same fork stack as the last one does not need. The
// first fork allocates it: most contexts of scopes never have it.
type forkParts struct {
	// floor is the number of runs when the operation began. With more runs, the operation is in a
	// branch or a loop.
	floor  int
	job    *job // the stolen branch that is being run, nil for the operation itself
	runs   []run
	open   int // the first run that may have unexposed frames
	stacks map[unsafe.Pointer]stack
	// suspension is where it sleeps with a processor to come back to; nil until it does.
	suspension *sched.Suspension
	parker     *park.Parker // where it sleeps without a processor; nil while it has one
}

// stack is a fork stack without the types of its frames.
type stack interface {
	// height returns how many frames there are.
	height() int
	// expose exposes the oldest unexposed frame below end. It makes a job of what is left of that
	// frame, or of a part of it if the frame can be split and all is false. It returns nil if no
	// frame is left. The caller queues the job.
	expose(end int, all bool) *job
}

// run is a piece of the frame stack: the frames of one fork stack from base on, up to end unless it
// is the top run. A join or loop begins a run if its fork stack is not that of the top run, and
// ends it. A run without a fork stack begins a stolen job, or an inlined operation.
type run struct {
	key, at   unsafe.Pointer
	stack     stack
	base, end int
	job       *job
}

// mostStacks is how many fork stacks a Context keeps at most; beyond, it forgets all and begins
// anew. Forkable functions are declared once, so a program has few.
const mostStacks = 1024

// owned reports whether the caller's goroutine runs the operation that c belongs to, on a
// processor.
func (c *Context) owned() bool {
	id := goid.ID()
	if c.forks.home.Load() == id {
		return true
	}
	w := c.worker.Load()
	if w.processor == nil || w.processor.Home() != id || w.active.Load() != c || c.held != nil {
		return false
	}
	c.forks.begin()
	c.forks.home.Store(id)
	c.forks.offer = w.processor.Offer()
	return true
}

// begin allocates forkParts.
func (f *forks) begin() {
	if f.forkParts == nil {
		f.forkParts = &forkParts{}
	}
}

// stack returns the fork stack for key if the top run lies in it and the caller's goroutine owns c;
// nil otherwise.
func (f *forks) stack(key unsafe.Pointer) unsafe.Pointer {
	if f.home.Load() == goid.ID() && f.key == key { // home first: only the owner may read key
		return f.last
	}
	return nil
}

// known returns the fork stack for key, nil if there is none yet; then stacks has room for it.
func (f *forks) known(key unsafe.Pointer) stack {
	l := f.stacks[key]
	if l == nil && (f.stacks == nil || len(f.stacks) >= mostStacks) { // runs keep those in use
		f.stacks = map[unsafe.Pointer]stack{}
	}
	return l
}

// enter begins a run in l, which is at that address; leave ends the run.
func (f *forks) enter(key, at unsafe.Pointer, l stack) {
	if top := len(f.runs) - 1; top >= 0 && f.runs[top].stack != nil {
		f.runs[top].end = f.runs[top].stack.height()
	}
	r := run{key: key, at: at, stack: l, job: f.job}
	if f.key, f.last = key, at; l != nil {
		r.base = l.height()
	}
	f.runs = append(f.runs, r)
	f.open = min(f.open, max(len(f.runs)-2, 0)) // the run below the top may have got frames since
}

// leave ends the top run, which is empty, and goes back to the one before.
func (f *forks) leave() {
	top := len(f.runs) - 1
	f.runs[top] = run{}
	f.runs = f.runs[:top]
	f.key, f.last = nil, nil
	if top > 0 {
		f.key, f.last = f.runs[top-1].key, f.runs[top-1].at
	}
	f.open = min(f.open, max(top-1, 0))
}

// branched reports whether the running operation is in a branch or a loop.
func (f *forks) branched() bool { return f.forkParts != nil && len(f.runs) > f.floor }

// beginInner begins an inlined operation. It may forward even if the operation around it is in a
// branch.
func (f *forks) beginInner() (floor int) {
	if f.forkParts == nil || len(f.runs) == 0 {
		return 0
	}
	floor = f.floor
	f.enter(nil, nil, nil)
	f.floor = len(f.runs)
	return floor
}

// endInner ends the section that beginInner began; floor is the result of beginInner.
func (f *forks) endInner(floor int) {
	if f.forkParts != nil && f.floor > 0 {
		f.leave()
		f.floor = floor
	}
}

// exposeOldest exposes the oldest unexposed frame, and returns its job; nil if there is none.
func (c *Context) exposeOldest(all bool) *job {
	f := &c.forks
	for f.open < len(f.runs) {
		r := &f.runs[f.open]
		top := f.open == len(f.runs)-1
		if r.stack != nil {
			end := r.end
			if top {
				end = r.stack.height()
			}
			if j := r.stack.expose(end, all); j != nil {
				j.parent.Store(r.job)
				j.kind, j.function, j.key = c.kind.Load(), c.function.Load(), c.key
				return j
			}
		}
		if top {
			return nil
		}
		f.open++
	}
	return nil
}

// publish offers the oldest unexposed frame. The offer must be empty.
func (c *Context) publish() {
	if j := c.exposeOldest(false); j != nil {
		c.forks.offer.Put(&j.Task)
		c.worker.Load().pause()
	}
}

// publishAll exposes all frames in the processor's deque, oldest first. The caller is about to give
// the processor away, and no other goroutine reaches unexposed frames.
func (c *Context) publishAll(p *sched.Processor) {
	if f := &c.forks; f.forkParts != nil && len(f.runs) != 0 {
		c.publishSome(p)
	}
}

func (c *Context) publishSome(p *sched.Processor) {
	if t := p.Offer().Take(); t != nil {
		p.PushAt(c.priority(), t)
	}
	for j := c.exposeOldest(true); j != nil; j = c.exposeOldest(true) {
		p.PushAt(c.priority(), &j.Task)
	}
}

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
