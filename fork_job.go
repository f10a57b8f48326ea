package freerun

import (
	"runtime/debug"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// job is a branch, or a part of a loop, that others may take: what becomes of a frame when it is laid open. Its state is one word:
//
//	queued ─→ reclaimed            by the operation that laid it, which runs it itself; what is left in a queue is a husk
//	   └────→ stolen ─→ done       by a thief, which runs it
//	             └─→ awaited ─→ done   the operation sleeps until then
//
// Who may touch what: argument, parent, kind and function are written before it is queued, and so is realm. Whoever took it out of queued has the argument; a thief
// writes result and failure before done, and the operation reads them after. waiter is written before awaited. Parent alone is
// read by anybody at any time (fork_await.go).
type job struct {
	sched.Task
	state    atomics.Uint32
	waiter   atomics.Plain[*Context]
	failure  atomics.Plain[*PanicError]
	parent   atomics.RelaxedPointer[job] // the job that it was forked in
	kind     *vtable
	function uintptr
	realm    *contextKey // scope and priority
	work     work        // the job itself, as what knows its types
}

// work is what a thief does.
type work interface {
	// do runs the branch and keeps the result.
	do(c *Context)
	// drop forgets the argument.
	drop()
	// name names the function.
	name() string
}

const (
	jobQueued uint32 = iota
	jobReclaimed
	jobStolen
	jobAwaited
	jobDone
)

// jobKind is that of all jobs. One that is discarded is the business of the operation that laid it, which is stuck, and may return.
var jobVtable = &sched.Kind{Run: runJob, Discard: func(*sched.Task) {}}

func jobOf(t *sched.Task) *job { return (*job)(unsafe.Pointer(t)) }

// claim: queued → by, one of reclaimed and stolen. It reports whether it was queued.
func (j *job) claim(by uint32) bool {
	return j.state.Load() == jobQueued && j.state.CompareAndSwap(jobQueued, by)
}

// awaitedBy: stolen → awaited. If it returns false, the job is done.
func (j *job) awaitedBy(c *Context) bool {
	j.waiter.Set(c)
	return j.state.CompareAndSwap(jobStolen, jobAwaited)
}

// end: stolen or awaited → done. It returns who sleeps until then, nil if nobody does.
func (j *job) end() *Context {
	if j.state.Swap(jobDone) == jobAwaited {
		return j.waiter.Get()
	}
	return nil
}

func (j *job) done() bool { return j.state.Load() == jobDone }

// runJob runs a job that a processor took from a queue.
func runJob(p *sched.Processor, t *sched.Task) {
	j := jobOf(t)
	if !j.claim(jobStolen) {
		return
	}
	c := workerOf(p).assume(j.realm)
	c.credit, c.depth = smallRuns, 0
	c.kind.Store(j.kind)
	c.function.Store(j.function)
	c.inside.Store(1)
	s := workerOf(p)
	if p.Spent() {
		s.breathe()
	}
	if s.rt.labels {
		s.labelBranch(j)
	}
	j.steal(c)
}

// steal runs a job that its goroutine has claimed, and tells who waits for it.
func (j *job) steal(c *Context) {
	f := &c.forks
	f.begin()
	outer, floor := f.job, f.floor
	f.job, f.floor = j, len(f.runs)
	f.enter(nil, nil, nil)
	returned := false
	s := c.worker.Load()
	recorded := s.observed.Load() != 0 && s.traceBranch(j, c.current != nil)
	defer func() {
		if recorded {
			c.worker.Load().traceBranchEnd()
		}
		if !returned {
			j.failure.Set(branchPanic(recover(), j.work.name()))
		}
		j.work.drop()
		j.parent.Store(nil)
		f.leave()
		f.job, f.floor = outer, floor
		if len(f.runs) == 0 && c.current == nil {
			c.inside.Store(0)
			f.home.Store(0)
		}
		if sleeper := j.end(); sleeper != nil {
			sleeper.rouse(c.worker.Load().processor)
		}
	}()
	j.work.do(c)
	returned = true
}

// branch is a job that calls a function with an argument.
type branch[A, R any] struct {
	job
	fn     func(c *Context, arg A) R
	arg    atomics.Plain[A]
	result atomics.Plain[R]
}

func newBranch[A, R any](fn func(c *Context, arg A) R) *branch[A, R] {
	b := &branch[A, R]{fn: fn}
	b.Kind, b.work = jobVtable, b
	return b
}

func (b *branch[A, R]) do(c *Context) { b.result.Set(b.fn(c, b.arg.Take())) }

func (b *branch[A, R]) drop() { b.arg.Clear() }

func (b *branch[A, R]) name() string { return functionName(codeOf(b.fn)) }

// retake takes a branch back for the operation that laid it. If nobody has it, mine is true; and again, if it may be used again, as nobody
// can see it any more.
func (b *branch[A, R]) retake(c *Context) (arg A, mine, again bool) {
	if t := c.forks.offer.Take(); t != nil {
		if t != &b.Task {
			panic("freerun: the offer holds another job than the last one")
		}
		b.parent.Store(nil)
		return b.arg.Take(), true, true
	}
	if b.claim(jobReclaimed) {
		return b.arg.Take(), true, false
	}
	return arg, false, false
}

// branchPanic is what a join panics with if a branch panicked with value, or called runtime.Goexit, which nil stands for. It must be called while the
// stack of the branch is there.
func branchPanic(value any, operation string) *PanicError {
	switch v := value.(type) {
	case *PanicError:
		if v.branch {
			return v
		}
	case nil:
		value = ErrGoexit
	}
	return &PanicError{Operation: operation, Value: value, Stack: debug.Stack(), branch: true}
}
