package activity

import (
	"github.com/freerun-go/freerun/internal/activityhost"
	"github.com/freerun-go/freerun/internal/sched"
)

// eachWaiting reports the activities of a scheduler that wait: see [activityhost.Activities].
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
