package freerun

import "github.com/freerun-go/freerun/internal/sched"

// Resize sets how many operations run at the same time, from now on. It does not wait for operations that run: processors that are too many
// go when theirs have ended, and what was queued there is run by the others. A runtime made without [Processors] follows GOMAXPROCS, a
// change of which it notices within a second while it is busy; Resize holds until then. It does nothing once the runtime is shut down. Any
// goroutine, operations too. It panics if n is less than 1 or above 32767.
func (rt *Runtime) Resize(n int) {
	rt.mustBeMade()
	if n < 1 || n > sched.MostProcessors {
		panic("freerun: Resize needs between 1 and 32767 processors")
	}
	rt.scheduler.Resize(n)
}

// Processors returns how many operations run at the same time: as many as [Processors] or [Runtime.Resize] said, or GOMAXPROCS, and those that
// the watchdog has added ([Watchdog]).
func (rt *Runtime) Processors() int {
	rt.mustBeMade()
	return rt.scheduler.Limit()
}

// seats returns the seats of all processors that there ever were.
func (rt *Runtime) seats() func(yield func(int, *worker) bool) {
	return func(yield func(int, *worker) bool) {
		for i, p := range rt.scheduler.Processors() {
			if !yield(i, workerOf(p)) {
				return
			}
		}
	}
}
