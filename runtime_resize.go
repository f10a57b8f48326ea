package freerun

import "github.com/freerun-go/freerun/internal/sched"

// Resize sets how many operations run at the same time, from now on. It does not wait for running
// operations: a surplus processor ends when its operation has ended, and the other processors run
// the tasks that were queued there. A runtime made without [Processors] follows GOMAXPROCS: while
// it is busy, it notices a change of GOMAXPROCS within a second, and the number that Resize has set
// holds until then. Resize does nothing once the runtime is shut down. Any goroutine may call it,
// operations too. It panics if n is less than 1 or above 32767.
func (rt *Runtime) Resize(n int) {
	rt.mustBeMade()
	if n < 1 || n > sched.MostProcessors {
		panic("freerun: Resize needs between 1 and 32767 processors")
	}
	rt.scheduler.Resize(n)
}

// Processors returns how many operations run at the same time: the number that [Processors] or
// [Runtime.Resize] has set, or GOMAXPROCS, and in addition the processors that the watchdog has
// added ([Watchdog]).
func (rt *Runtime) Processors() int {
	rt.mustBeMade()
	return rt.scheduler.Limit()
}

// seats iterates over the workers of all processors that there ever were, by the processor's index.
func (rt *Runtime) workers() func(yield func(int, *worker) bool) {
	return func(yield func(int, *worker) bool) {
		for i, p := range rt.scheduler.Processors() {
			if !yield(i, workerOf(p)) {
				return
			}
		}
	}
}
