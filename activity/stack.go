package activity

import (
	"context"
	"runtime"
	"runtime/debug"
	"unsafe"

	_ "github.com/freerun-go/freerun/activity/uncooperative" // vendored with this package
	"github.com/freerun-go/freerun/internal/activityhost"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/prefetch"
)

// stack is a coroutine that activities run on, one after another. When an activity has ended and
// the next task is an activity that has not begun, that one runs on the same stack at once,
// without a switch. So activities that never wait cost little more than calls.
type stack struct {
	co    sched.Coroutine
	begun atomics.RelaxedUintptr // the code of the present activity; 0 if there is none
	// What each switch needs: one line of the cache, and half of the next one.
	activity  atomics.RelaxedPointer[Activity] // the present one, or the last one
	scheduler *sched.Scheduler                 // does not change
	waiter    atomics.Pointer[Waiter]          // of the present wait, or else of the next one
	// The fields below belong to the goroutine that runs the stack, or is about to have it run on.
	finalizer finalizer
	point     waitPoint
	isFirm    bool
	returned  bool   // the activity's function has returned
	unlocked  bool   // the activity has left the goroutine locked, and perform has unlocked it
	discarded bool   // the activity on it ends where it waits or yields
	unwinding bool   // it is being ended by Goexit, because of discarded or the runtime's end
	passed    bool   // the owner was told that the activity comes to run, by what ran before
	looks     uint8  // how often the activity was preempted since it came to run
	passes    uint16 // the looks that pass before the next one at its calls; see preempted.go
	skips     uint16 // the quanta of checks that pass before the next look at its calls
	size      uint32 // of what was on it at the last look

	seen  activityhost.Stack // what the owner sees of it
	first *Activity          // the one to begin when the stack is entered
	ctx   context.Context
	host  *sched.Host // where it sleeps without a switch; see locked.go
}

// finalizer is a function that a processor calls on behalf of an activity after leaving it (a
// switch finalizer; it has nothing to do with runtime.SetFinalizer). p is nil if there was no
// processor. As soon as it has queued the activity, or opened its wait, the activity may run
// elsewhere.
type finalizer func(p *sched.Processor, a *Activity)

// fresh is the kind of task of an activity that has not begun, begun of one that has, and midway of
// one that is queued where it does not end (midway.go). A fourth kind, of one that waits without a
// switch, is in locked.go.
var (
	fresh  = &sched.Kind{Discard: discardFresh}
	begun  = &sched.Kind{Discard: discardBegun}
	midway = &sched.Kind{}
)

func init() { // an init function, because the functions refer to the kinds
	fresh.Run, begun.Run, midway.Run = begin, goOn, goOn
	begun.Prefetch, midway.Prefetch = fetchAhead, fetchAhead
}

// fetchAhead asks for the memory of a task that comes to run some turns later.
func fetchAhead(t *sched.Task, near bool) {
	if st := activityOf(t).stack.Load(); st != nil {
		if st.co.Prefetch(near); !near {
			st.prefetch()
		}
	}
}

// prefetch asks for what a switch needs of the stack beside its coroutine.
//
//go:norace
func (st *stack) prefetch() { prefetch.RangeForWrite(uintptr(unsafe.Pointer(&st.activity)), 2) }

func activityOf(t *sched.Task) *Activity { return (*Activity)(unsafe.Pointer(t)) }

// stackOn returns a stack for the activity a, which is about to begin on p. It makes one if p keeps
// none. That takes more stack than an activity has: call it on a host's own.
func stackOn(p *sched.Processor, a *Activity) *stack {
	if co := p.TakeCoroutine(); co != nil {
		return stackOf(co)
	}
	st := &stack{scheduler: p.Scheduler()}
	st.waiter.Store(&Waiter{})
	st.co.Local = st
	a.owner.Prepare(&st.seen, p)
	st.co.Init(live)
	return st
}

// begin runs an activity that has no stack.
func begin(p *sched.Processor, t *sched.Task) {
	a := activityOf(t)
	if a.isRefused(p) {
		return
	}
	st := stackOn(p, a)
	st.first = a
	enter(&st.co, p)
}

// goOn runs an activity that has a stack.
func goOn(p *sched.Processor, t *sched.Task) { enter(&activityOf(t).stack.Load().co, p) }

func enter(co *sched.Coroutine, p *sched.Processor) {
	if left, now, alive := co.Enter(p); alive {
		stackOf(left).left(now)
	}
}

func stackOf(co *sched.Coroutine) *stack { return (*stack)(unsafe.Pointer(co)) }

// currentStack returns the stack that the calling goroutine is; nil for any other goroutine.
func currentStack() *stack {
	if co := sched.CurrentCoroutine(); co != nil {
		if st, ok := co.Local.(*stack); ok {
			return st
		}
	}
	return nil
}

// giveWay has a, which runs on this stack, give the processor p to the task t, which was picked;
// nil if there was none. It prepares the switch, as way does.
func (st *stack) giveWay(a *Activity, p *sched.Processor, t *sched.Task) (next func() (struct{}, bool), yield func(struct{}) bool) {
	if t != nil && t.Kind == begun && p.MayProceed() {
		if s := activityOf(t).stack.Load(); a.owner.Pass(&st.seen, &s.seen, p) {
			p.Proceed(t)
			s.passed = true
			return st.co.PrepareTransfer(st.co.PrepareSwitch(&s.co))
		}
	}
	a.owner.Leave(a, &st.seen, p)
	return st.way(p, t)
}

// giveWayToNext is giveWay to the task that comes next. An activity without a processor switches to
// the goroutine that has entered its stack.
func (st *stack) giveWayToNext(a *Activity) (next func() (struct{}, bool), yield func(struct{}) bool) {
	if p := st.co.Processor(); p != nil {
		return st.giveWay(a, p, p.Pick())
	}
	return st.way(nil, nil)
}

// way prepares a switch from this stack: to the stack of t if t was picked and can run at once, and
// otherwise to the host. The caller calls the one of the two functions that is not nil, and then
// land. They are not one function, because a switch from within another function costs more.
func (st *stack) way(p *sched.Processor, t *sched.Task) (next func() (struct{}, bool), yield func(struct{}) bool) {
	if t != nil {
		if s := st.successor(p, t); s != nil {
			return st.co.PrepareTransfer(st.co.PrepareSwitch(&s.co))
		}
	}
	return st.co.PrepareTransfer(st.co.PrepareSuspend())
}

// land completes a switch to this stack, on behalf of the stack that was left for it.
func (st *stack) land() {
	if left := st.co.Predecessor(); left != nil {
		stackOf(left).left(st.co.Processor())
	}
}

// left completes a switch away from the stack. p is the processor that has left it, nil if there
// was none.
func (st *stack) left(p *sched.Processor) {
	finish := st.finalizer
	switch {
	case finish != nil:
		st.finalizer = nil
		finish(p, st.activity.Load())
	case p != nil: // the activities of this stack have ended
		p.KeepCoroutine(&st.co)
	default:
		st.co.End()
	}
}

// live is the coroutine's body. Its frame, and that of perform, lie on the stack of each activity:
// see docs/adr/0057.
func live(co *sched.Coroutine) {
	st := stackOf(co)
	st.land()
	for st.first != nil {
		a := st.first
		st.first = nil
		var t *sched.Task
		for a != nil {
			if st.perform(a); st.unlocked {
				st.unlocked = false
				break // back to the host, which ends the thread: see [sched.Coroutine.Unlock]
			}
			a, t = st.fresh()
		}
		// Until there is another activity, or for good.
		if next, yield := st.way(st.co.Processor(), t); yield != nil {
			yield(struct{}{})
		} else {
			next()
		}
		st.land()
	}
}

// fresh picks the next task. If that is an activity that has not begun, fresh returns the activity,
// which then runs on this stack; otherwise it returns the task.
func (st *stack) fresh() (a *Activity, t *sched.Task) {
	p := st.co.Processor()
	if p == nil {
		return nil, nil
	}
	for {
		t = p.Pick()
		if t == nil || t.Kind != fresh || !p.MayProceed() {
			return nil, t
		}
		p.Proceed(t)
		if a := activityOf(t); !a.isRefused(p) {
			return a, nil
		}
	}
}

// successor returns the stack that the processor runs next: that of the activity t, or, if t is
// refused, that of the next task. It returns nil if the host has to run that task, or there is
// none.
func (st *stack) successor(p *sched.Processor, t *sched.Task) *stack {
	for t != nil {
		switch {
		case !p.MayProceed():
		case t.Kind == begun, t.Kind == midway:
			p.Proceed(t)
			return activityOf(t).stack.Load()
		case t.Kind == fresh && p.HasCoroutine(): // otherwise the host makes one
			p.Proceed(t)
			if a := activityOf(t); !a.isRefused(p) {
				next := stackOf(p.TakeCoroutine())
				next.first = a
				return next
			}
			t = p.Pick()
			continue
		}
		p.Carry(t)
		return nil
	}
	return nil
}

// perform runs an activity from its beginning to its end. It sets unlocked if the activity has left
// its goroutine locked to its thread, which perform has unlocked.
func (st *stack) perform(a *Activity) {
	st.activity.Store(a)
	a.stack.Store(st)
	st.seen.Code, st.seen.Title = a.code(), a.named
	st.begun.Store(st.seen.Code)
	a.task.Kind = begun
	st.returned, st.passes, st.skips = false, 0, 0
	defer st.finish(a)
	st.arrive(a)
	a.fn(a)
	st.returned = true
}

// finish ends the activity that perform has run. It is deferred: the activity may have panicked, or
// called Goexit.
func (st *stack) finish(a *Activity) {
	var failure any
	var trace []byte
	var refused error
	switch {
	case st.returned:
	case st.unwinding:
		if failure = recover(); failure == nil {
			refused = a.refusal()
		} else { // a panic in a deferred function
			trace = debug.Stack()
		}
	default:
		if failure = recover(); failure == nil {
			failure = activityhost.ErrGoexit
		}
		trace = debug.Stack()
	}
	if st.co.Locked() {
		st.co.Unlock()
		st.unlocked = true
	}
	st.conclude(a, st.co.Processor(), failure, trace, refused)
}

// arrive tells the owner that the activity has come to run on a processor. A discarded activity
// has none.
func (st *stack) arrive(a *Activity) {
	if p := st.co.Processor(); p == nil {
		a.owner.Enter(a, &st.seen, nil)
	} else {
		a.refill()
		st.co.Turn()
		st.looks = 0
		if st.passed {
			st.passed = false
		} else {
			a.owner.Enter(a, &st.seen, p)
		}
		p.Spend()
	}
}

// conclude ends an activity that has begun.
func (st *stack) conclude(a *Activity, p *sched.Processor, failure any, trace []byte, refused error) {
	st.begun.Store(0) // before it is counted as done
	outcome := a.owner.End(a, p, failure, trace, refused)
	if p != nil {
		a.owner.Leave(a, &st.seen, p)
	}
	st.seen.Title = nil
	a.fn = nil
	a.stack.Store(nil)
	a.end(outcome)
}

// isRefused ends an activity that must not begin any more, and reports whether it did.
func (a *Activity) isRefused(p *sched.Processor) bool {
	if a.owner.Canceled() == nil {
		return false
	}
	a.refuse(p)
	return true
}

func (a *Activity) refuse(p *sched.Processor) {
	outcome := a.owner.End(a, p, nil, nil, a.refusal())
	a.fn = nil
	a.end(outcome)
}

// refusal returns why an activity is not begun, or does not continue.
func (a *Activity) refusal() error {
	if err := a.owner.Canceled(); err != nil {
		return err
	}
	return a.owner.Closed()
}

func discardFresh(t *sched.Task) { activityOf(t).refuse(nil) }

// discardBegun ends an activity that no processor will run any more: the calling goroutine runs its
// deferred functions. If one of these waits firmly for a lock (see [Waiter]), the activity is left
// once more, and is discarded again when it has the lock.
func discardBegun(t *sched.Task) {
	st := activityOf(t).stack.Load()
	st.discarded = true
	enter(&st.co, nil)
}

// closing reports whether the activity ends where it next waits or yields.
func (a *Activity) closing() bool { return a.stack.Load().discarded || a.owner.Closing() }

// unwindIfClosing ends a closing activity by [runtime.Goexit]: its deferred functions run, and
// nothing else of it.
func (a *Activity) unwindIfClosing() {
	if a.closing() {
		a.stack.Load().unwinding = true
		if modelled {
			modelGoexit()
		}
		runtime.Goexit()
	}
}
