package activity

import (
	"github.com/freerun-go/freerun/internal/activityhost"
	"github.com/freerun-go/freerun/internal/sched"
)

// eachWaiting calls f for activities of a scheduler that wait, most of them at most, in the order
// in which their stacks were made, each with its stack in the form of a panic's trace. It returns
// how many more there are. It is for the report of a deterministic runtime that has come to a
// standstill: each trace stops the world, and while anything runs it may be of another moment than
// the wait.
func eachWaiting(s *sched.Scheduler, most int, f func(a *Activity, on *activityhost.Stack, trace []byte)) (more int) {
	for _, co := range sched.Coroutines() {
		st, ok := co.Local.(*stack)
		if !ok || st.scheduler != s || st.waiter.Load().isOver() {
			continue
		}
		if most == 0 {
			more++
			continue
		}
		most--
		f(st.activity.Load(), &st.seen, co.Trace())
	}
	return more
}
