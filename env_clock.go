package freerun

import (
	"time"

	"github.com/freerun-go/freerun/internal/vclock"
)

// clock is the time of a runtime. All timers go through it, so that virtual time can take the place
// of Go's.
type clock interface {
	now() time.Time
	// afterFunc calls f once d has passed, on a goroutine of its own if time is Go's. stop keeps it
	// from that, and reports whether it did.
	afterFunc(d time.Duration, f func()) (stop func() bool)
}

// systemClock is Go's. In a testing/synctest bubble that is the bubble's.
type systemClock struct{}

func (systemClock) now() time.Time { return time.Now() }

func (systemClock) afterFunc(d time.Duration, f func()) (stop func() bool) {
	return time.AfterFunc(d, f).Stop
}

// virtualClock is the clock of a deterministic runtime.
type virtualClock struct{ *vclock.Clock }

func (c virtualClock) now() time.Time { return c.Now() }

func (c virtualClock) afterFunc(d time.Duration, f func()) (stop func() bool) {
	t := c.AfterFunc(d, f)
	return func() bool { return c.Stop(t) }
}

// Now returns the time of the runtime's clock: time.Now, or virtual time in a deterministic runtime. Any goroutine, operations too; in a
// deterministic runtime only operations and the goroutine that waits.
func (rt *Runtime) Now() time.Time {
	rt.mustBeMade()
	return rt.clock.now()
}
