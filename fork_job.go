package freerun

import (
	"runtime/debug"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// job is a branch, or a part of a loop, that a thief may take. The joiner, which is the operation
// that forked it, makes a job of a frame when it exposes the frame. The state is one word:
//
//	queued ─→ reclaimed               by the joiner, which runs it itself
//	   └────→ stolen ─→ done          by a thief, which runs it
//	             └─→ awaited ─→ done  the joiner sleeps until done
//
// A reclaimed job that still lies in a queue is a husk: the processor that takes it drops it.
//
// Ownership of the fields:
//   - argument, parent, kind, function and key are written before the job is queued;
//   - the goroutine that moves the state on from queued takes the argument;
//   - the thief writes result and failure before done, and the joiner reads them after;
//   - the joiner writes waiter before awaited;
//   - any goroutine reads parent at any time (fork_await.go).
type job struct {
	sched.Task
	state    atomics.Uint32
	waiter   atomics.Plain[*Context]
	failure  atomics.Plain[*PanicError]
	parent   atomics.RelaxedPointer[job] // the job in which it was forked, nil: in the operation
	kind     *vtable
	function uintptr
	key      *contextKey // scope and priority
	work     work        // the branch[A, R] around this job
}

// work is the part of a job that knows the types of argument and result.
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

// jobVtable is the sched.Kind of all jobs. Discard does nothing: the joiner of a discarded job is
// stuck, and may still come back for it.
var jobVtable = &sched.Kind{Run: runJob, Discard: func(*sched.Task) {}}

func jobOf(t *sched.Task) *job { return (*job)(unsafe.Pointer(t)) }

// claim: queued → by, which is jobReclaimed or jobStolen. It reports whether the job was queued.
func (j *job) claim(by uint32) bool {
	return j.state.Load() == jobQueued && j.state.CompareAndSwap(jobQueued, by)
}

// awaitedBy: stolen → awaited. It returns false if the job is done.
func (j *job) awaitedBy(c *Context) bool {
	j.waiter.Set(c)
	return j.state.CompareAndSwap(jobStolen, jobAwaited)
}

// end: stolen or awaited → done. It returns the sleeping joiner, nil if the joiner does not sleep.
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
	c := workerOf(p).assume(j.key)
	c.credit = smallRuns
	c.kind.Store(j.kind)
	c.function.Store(j.function)
	c.inside.begin(aBranch)
	w := workerOf(p)
	if p.Spent() {
		w.yieldIfDue()
	}
	if w.rt.labels {
		w.labelBranch(j)
	}
	j.steal(c)
}

// steal runs a job that its goroutine has claimed, and wakes the joiner if that sleeps.
func (j *job) steal(c *Context) {
	f := &c.forks
	f.begin()
	outer, floor := f.job, f.floor
	f.job, f.floor = j, len(f.runs)
	f.enter(nil, nil, nil)
	returned := false
	w := c.worker.Load()
	recorded := w.observed.Load() != 0 && w.traceBranch(j, c.current != nil)
	c.rt.env.forks(c)
	defer func() {
		c.rt.env.forks(c)
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
			c.inside.end()
			f.home.Store(0)
		}
		if sleeper := j.end(); sleeper != nil {
			sleeper.wakeSleeper(c.worker.Load().processor)
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

// retake takes a branch back for its joiner. mine is false if a thief has it. again reports that
// the branch came from the offer: no other goroutine can claim it any more, so it is used again.
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

// branchPanic returns the panic of a join whose branch panicked with value; nil stands for
// runtime.Goexit. It must be called before the stack of the branch is unwound.
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
