package activity

import (
	"github.com/freerun-go/freerun/internal/activityhost"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sys/blockhook"
)

// Sketch:     code that knows nothing of activities blocks its goroutine: in a channel operation, a
//             lock of package sync, the network. In a program of `freerun build` the goroutine
//             tells so first, and an activity or an operation gives its processor away, as in Block
//             in a deterministic runtime, where nothing would run then, it tries again whenever
//             something has run, until it need not block
// Invariants: U1 An activity that holds a lock of package sync, and has yielded, runs on: whoever
//             waits for the lock keeps no processor from it.
//             U2 Code of freerun itself, and what it calls of the user, such as a handler of a log,
//             keeps its processor when it blocks: it relies on that. It waits for no activity.
//             Functions that let the user call Block rely on nothing: those that call operations
//             and branches, and Do of a Monitor.
//             U3 An activity does not end where it blocks unaware: the lock that it waits for would
//             be left half taken. It ends where it next waits or yields, and who gives up does not
//             wait for that (M1 of midway.go). Not so in a deterministic runtime that gives up:
//             nobody else would ever run there.
//             U4 Go's runtime itself, as when it begins to collect garbage, blocks as ever, and
//             does not call the hook: it may hold what package activity needs, which allocates.
// Checked by: of package main TestUnaware, TestUnawareBelow, TestUnawareCallbacks, TestUnawareEnds

func init() {
	if blockhook.Compiled && !modelled {
		blockhook.Install(leaveUnaware, returnUnaware, turnUnaware)
	}
}

// leaveUnaware has an activity that is about to block give its processor away.
func leaveUnaware() blockhook.Answer {
	st := currentStack()
	if st == nil {
		return leaveOperation()
	}
	p := st.co.Processor()
	if p == nil { // in Block
		return blockhook.Block
	}
	if !runsUser(performs, callersAbove(1)) {
		return blockhook.Block
	}
	if p.Driven() {
		if st.co.Locked() {
			return blockhook.Block
		}
		st.scheduler.Tries(&st.activity.Load().task)
		return blockhook.Turn
	}
	st.depart(p)
	return blockhook.Return
}

// leaveOperation has an operation that is about to block give its processor away, as in Block.
func leaveOperation() blockhook.Answer {
	h := sched.CurrentHost()
	if h == nil {
		return blockhook.Block
	}
	p := h.Processor()
	if p == nil || p.Driven() {
		return blockhook.Block
	}
	if !runsUser(works, callersAbove(2)) {
		return blockhook.Block
	}
	activityhost.Operations.Leave(p)
	return blockhook.Return
}

// returnUnaware has an activity that has blocked wait for a processor. An operation runs on without
// one.
func returnUnaware() {
	if st := currentStack(); st != nil {
		st.rejoinMidway()
	} else {
		activityhost.Operations.Back(sched.CurrentHost())
	}
}

// turnUnaware has an activity of a deterministic runtime, which has tried in vain, wait until
// something has run that may have changed that. No task knows that it is to wake the activity: see
// internal/sched/driver_tries.go. A cancellation does not end the wait, as it ends no wait for a
// lock of package sync.
func turnUnaware() {
	st := currentStack()
	a := st.activity.Load()
	a.unwindIfClosing()
	st.scheduler.TriedInVain(&a.task)
	_ = a.wait(firm, 0, enterFunc(func(w *Waiter) {
		st.scheduler.AwaitChange(&a.task, func() { w.Grant() })
	}))
	st.scheduler.TriesAgain(&a.task)
	a.unwindIfClosing()
}
