package activity

import (
	"context"
	"runtime"
	"runtime/debug"
	"unsafe"

	"github.com/freerun-go/freerun/internal/activityhost"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// stack is a coroutine that activities run on: one from its beginning to its end, and then the next. When an activity has ended and what comes next is
// another one that has not begun, that runs on the same stack at once, without a switch; so activities that never wait cost little more than calls.
type stack struct {
	co        sched.Coroutine
	activity  atomics.RelaxedPointer[Activity] // that it is of now, or was of last
	finalizer finalizer                        // of whoever runs or enters it, as is what follows but for the waiter
	waiter    atomics.Pointer[Waiter]          // of its next wait, or the one that is
	scheduler *sched.Scheduler
	seen      activityhost.Stack // what the owner sees of it
	first     *Activity          // to begin with when it is entered
	point     waitPoint
	ctx       context.Context
	isFirm    bool
	discarded bool        // what waits or yields on it ends
	unwinding bool        // it is being ended by Goexit for that reason
	host      *sched.Host // where it sleeps without a switch; see locked.go
}

// finalizer is what is done on behalf of an activity after it was left, by the processor that has left it; p is nil if it had none. From there on the activity
// may run elsewhere at any moment.
type finalizer func(p *sched.Processor, a *Activity)

// The kinds of task that an activity is; a third is in locked.go.
var (
	fresh = &sched.Kind{Discard: discardFresh}
	begun = &sched.Kind{Discard: discardBegun}
)

func init() { // they refer to both kinds
	fresh.Run, begun.Run = begin, goOn
	begun.Ahead = fetchAhead
}

func fetchAhead(t *sched.Task, near bool) {
	if st := activityOf(t).stack.Load(); st != nil {
		st.co.FetchAhead(near)
	}
}

func activityOf(t *sched.Task) *Activity { return (*Activity)(unsafe.Pointer(t)) }

// stackOn returns a stack for an activity that is about to begin on p.
func stackOn(p *sched.Processor) *stack {
	if co := p.TakeCoroutine(); co != nil {
		return co.Local.(*stack)
	}
	st := &stack{scheduler: p.Scheduler()}
	st.waiter.Store(&Waiter{})
	st.co.Init(st.live)
	st.co.Local = st
	return st
}

// begin runs an activity that has no stack.
func begin(p *sched.Processor, t *sched.Task) {
	a := activityOf(t)
	if a.isRefused(p) {
		return
	}
	st := stackOn(p)
	st.first = a
	enter(&st.co, p)
}

// goOn runs an activity that has one.
func goOn(p *sched.Processor, t *sched.Task) { enter(&activityOf(t).stack.Load().co, p) }

func enter(co *sched.Coroutine, p *sched.Processor) {
	if left, now, alive := co.Enter(p); alive {
		stackOf(left).left(now)
	}
}

func stackOf(co *sched.Coroutine) *stack { return (*stack)(unsafe.Pointer(co)) }

// way is where a stack that is about to be left is left for: the activity t, if one was picked and can be run at once, or else the host. The caller trades with that, and
// then lands; the switch would cost more from within another function.
func (st *stack) way(p *sched.Processor, t *sched.Task) *sched.Parking {
	if t != nil {
		if next := st.successor(p, t); next != nil {
			return st.co.WayTo(&next.co)
		}
	}
	return st.co.WayBack()
}

// land does what is to be done when the stack is gone on with: for the one that was left for it.
func (st *stack) land() {
	if left := st.co.Predecessor(); left != nil {
		stackOf(left).left(st.co.Processor())
	}
}

// left sees to what is to be done when the stack was left; p is the processor that has left it, nil if it had none.
func (st *stack) left(p *sched.Processor) {
	finish := st.finalizer
	switch {
	case finish != nil:
		st.finalizer = nil
		finish(p, st.activity.Load())
	case p != nil: // all have ended
		p.KeepCoroutine(&st.co)
	default:
		st.co.End()
	}
}

// live is the coroutine's body.
func (st *stack) live(*sched.Coroutine) {
	st.land()
	for st.first != nil {
		a := st.first
		st.first = nil
		var t *sched.Task
		for a != nil {
			if unlocked := st.perform(a); unlocked {
				break // the thread is not to be used any more
			}
			a, t = st.fresh()
		}
		st.co.Trade(st.way(st.co.Processor(), t)) // until there is another one, or for good
		st.land()
	}
}

// fresh takes what comes next, and makes it what runs on this stack if it is an activity that has not begun.
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

// successor returns the stack of the activity that was picked, which is what runs then; nil if the host has to run what was picked.
func (st *stack) successor(p *sched.Processor, t *sched.Task) *stack {
	for t != nil {
		switch {
		case !p.MayProceed():
		case t.Kind == begun:
			p.Proceed(t)
			return activityOf(t).stack.Load()
		case t.Kind == fresh:
			p.Proceed(t)
			if a := activityOf(t); !a.isRefused(p) {
				next := stackOn(p)
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

// perform runs an activity from its beginning to its end. It reports whether it has left its goroutine locked to its thread, and was unlocked.
func (st *stack) perform(a *Activity) (unlocked bool) {
	st.activity.Store(a)
	a.stack.Store(st)
	st.seen.Code, st.seen.Title = a.code(), a.named
	a.task.Kind = begun
	returned := false
	defer func() {
		var failure any
		var trace []byte
		var refused error
		switch {
		case returned:
		case st.unwinding:
			if failure = recover(); failure == nil {
				refused = a.refusal()
			} else { // in what it has deferred
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
			unlocked = true
		}
		st.conclude(a, st.co.Processor(), failure, trace, refused)
	}()
	st.arrive(a)
	a.fn(a)
	returned = true
	return
}

// arrive is called when an activity has come to run on a processor; it has none if it is discarded.
func (st *stack) arrive(a *Activity) {
	if p := st.co.Processor(); p != nil {
		a.quantum = Quantum
		a.owner.Enter(a, &st.seen, p)
		p.Spend()
	}
}

// conclude ends an activity that has begun.
func (st *stack) conclude(a *Activity, p *sched.Processor, failure any, trace []byte, refused error) {
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

// refusal is why an activity is not begun, or not gone on with.
func (a *Activity) refusal() error {
	if err := a.owner.Canceled(); err != nil {
		return err
	}
	return a.owner.Closed()
}

func discardFresh(t *sched.Task) { activityOf(t).refuse(nil) }

// discardBegun ends an activity that nobody runs any more: what it has deferred is run by the goroutine that is there. An activity that has to wait for a lock
// before that is left once more, and discarded again when it has the lock.
func discardBegun(t *sched.Task) {
	st := activityOf(t).stack.Load()
	st.discarded = true
	enter(&st.co, nil)
}

// closing reports whether the activity ends where it would wait.
func (a *Activity) closing() bool { return a.stack.Load().discarded || a.owner.Closing() }

// unwindIfClosing ends the activity, if that is so, by [runtime.Goexit]: so what it has deferred is run, and nothing can go on in its stead.
func (a *Activity) unwindIfClosing() {
	if a.closing() {
		a.stack.Load().unwinding = true
		if modelled {
			modelGoexit()
		}
		runtime.Goexit()
	}
}
