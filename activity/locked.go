package activity

import (
	"errors"

	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/park"
)

// An activity whose goroutine is locked to its thread, by [runtime.LockOSThread] or in a callback
// from C, cannot be left by a switch: Go would end the program. It waits with its thread, as a
// goroutine does. Its steps take the place of steps W1 to W5 of [Waiter]:
//
// 	L1  it leaves its processor, which goes to another host                   (in place of W1)
// 	L2  it runs the finalizer itself: opens the wait, or queues the activity  (W2 to W4)
// 	L3  it sleeps until a processor that has found it in a queue arrives      (W5)
//
// The processor may arrive before L3: the host keeps it until then. Exactly one arrives for each
// L2. In a deterministic runtime, which switches everything, such an activity cannot wait.
// One that has been discarded waits only for a lock that it takes again, as a goroutine does.
//
// Checked by: TestLocked…

// ErrThreadLocked is the error of a wait in a deterministic runtime by an activity that is locked
// to its thread. In any other runtime such an activity waits.
var ErrThreadLocked = errors.New("activity: in a deterministic runtime an activity must not wait while it is locked to its thread (runtime.LockOSThread, a callback from C)")

// staying is the kind of task of an activity that waits without a switch; stack.go has the others.
var staying = &sched.Kind{
	Run:     func(p *sched.Processor, t *sched.Task) { p.MoveTo(activityOf(t).stack.Load().host) },
	Discard: func(t *sched.Task) { activityOf(t).stack.Load().host.Abandon() },
}

// stayToWait waits without a switch. It reports false, without a wait, if that is impossible: in a
// deterministic runtime.
func (st *stack) stayToWait(a *Activity) bool {
	if p := st.co.Processor(); p != nil && p.Driven() {
		st.point, st.ctx, st.isFirm = nil, nil, false
		return false
	}
	if sched.CurrentHost() == nil {
		st.stayDiscarded(a)
	} else {
		st.stay(a, finishWait)
	}
	return true
}

// stayDiscarded waits, firmly, as an ordinary goroutine does: the activity was discarded before,
// and is on no host to which a processor could come.
func (st *stack) stayDiscarded(a *Activity) {
	w := st.waiter.Load()
	w.activity, w.parker = nil, park.New()
	finishWait(nil, a)
	w.parker.Park()
}

// stay leaves the processor, if there is one, but not the goroutine. It returns when the activity
// has a processor again, or is discarded. finish is called in place of a finalizer.
func (st *stack) stay(a *Activity, finish finalizer) {
	if p := st.co.Processor(); p != nil {
		a.owner.Depart(a, &st.seen, p)
		p.Leave()
	}
	st.host = sched.CurrentHost()
	a.task.Kind = staying
	finish(nil, a)
	if st.host.AwaitProcessor() == nil {
		st.discarded = true
	}
	a.task.Kind = begun
	st.arrive(a)
}
