package activity

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/activityhost"
	"github.com/freerun-go/freerun/internal/sched"
)

// Starter is a place where activities are started: a [freerun.Runtime], a [freerun.Scope], a
// [freerun.Context] or another [Activity]. No other type can be one.
type Starter starter

// The protocol with package freerun, which imports this package and hosts activities: see package
// activityhost.
type (
	starter = activityhost.Place
	mark    = activityhost.Mark
	owner   = activityhost.Owner[Activity]
)

// startIn starts an activity in a place of package freerun, which sets it when it is initialized.
var startIn func(where starter, a *Activity) error

func init() {
	activityhost.Provide(activityhost.Activities[Activity]{
		StartWith:    func(start func(where starter, a *Activity) error) { startIn = start },
		Claim:        (*Activity).claim,
		Queue:        (*Activity).queue,
		Begin:        (*Activity).begin,
		StackOf:      (*Activity).stackHere,
		Code:         (*Activity).code,
		Interrupt:    (*Activity).interrupt,
		InterruptAll: interruptAll,
		EachBegun:    eachBegun,
		EachTraced:   eachTraced,
	})
}

// start starts a new activity: where another activity was started, or in a place of package
// freerun.
func start(where Starter, a *Activity) error {
	if among, ok := where.(*Activity); ok {
		return among.start(a)
	}
	return startIn(where, a)
}

// start starts b where a was started.
func (a *Activity) start(b *Activity) error {
	if a == nil || a.owner == nil {
		return errNotStarted
	}
	return a.owner.Start(a, b)
}

// claim gives a new activity its owner: see [activityhost.Activities].
func (a *Activity) claim(in owner) {
	a.mustBeNew()
	a.started, a.owner = true, in
}

// begin queues a new activity: see [activityhost.Activities].
func (a *Activity) begin(in owner, priority sched.Priority, s *sched.Scheduler, p *sched.Processor) {
	a.claim(in)
	a.queue(priority, s, p)
}

// queue queues an activity that was claimed: see [activityhost.Activities].
func (a *Activity) queue(priority sched.Priority, s *sched.Scheduler, p *sched.Processor) {
	a.priority = priority
	a.refill()
	s.QueueAt(p, sched.Back, a.priority, &a.task)
}

// mustBeNew panics unless [Go] has made a and no place has started it.
func (a *Activity) mustBeNew() {
	if a == nil || !a.started && (a.fn == nil || a.Ended()) {
		panic("activity: start of an activity that Go has not made; start activities with Go")
	}
	if a.started {
		panic("activity: started twice")
	}
}

// stackHere returns the owner's view of a's stack, nil if the caller is not the goroutine of a.
func (a *Activity) stackHere() *activityhost.Stack {
	if !a.Here() {
		return nil
	}
	return &a.stack.Load().seen
}

// code returns the address of the code of a's function; 0 once a has ended.
func (a *Activity) code() uintptr {
	if a.fn == nil {
		return 0
	}
	return **(**uintptr)(unsafe.Pointer(&a.fn))
}
