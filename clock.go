package freerun

import "time"

// clock is where a runtime has its time from: all timers go through it, so that another clock can take the place of Go's.
type clock interface {
	now() time.Time
	// afterFunc calls f on a goroutine of its own once d has passed. What it returns keeps that from happening, and reports whether it did.
	afterFunc(d time.Duration, f func()) (stop func() bool)
}

// systemClock is Go's. In a testing/synctest bubble that is the bubble's.
type systemClock struct{}

func (systemClock) now() time.Time { return time.Now() }

func (systemClock) afterFunc(d time.Duration, f func()) (stop func() bool) {
	return time.AfterFunc(d, f).Stop
}

// Now returns the time of the runtime's clock: time.Now, or virtual time in a deterministic runtime. Any goroutine, operations too; in a
// deterministic runtime only operations and the goroutine that waits.
func (rt *Runtime) Now() time.Time {
	rt.mustBeMade()
	return rt.clock.now()
}
