package freerun

import (
	"time"

	"github.com/freerun-go/freerun/internal/vclock"
)

// clock is the time of a runtime: Go's, or virtual time in a deterministic runtime. A timer wheel,
// which a deterministic runtime does not use, has its time from wheelTime instead.
type clock interface {
	now() time.Time
	// afterFunc calls f once d has passed, on a goroutine of its own if time is Go's. stop prevents
	// the call, and reports whether it did.
	afterFunc(d time.Duration, f func()) (stop func() bool)
}

// systemClock is Go's clock; in a testing/synctest bubble, the bubble's.
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

// Now returns the time of the runtime's clock: time.Now, or virtual time in a deterministic
// runtime. Any goroutine may call it, operations too; in a deterministic runtime, only operations
// and the goroutine that waits. It does not wait.
func (rt *Runtime) Now() time.Time {
	rt.mustBeMade()
	return rt.clock.now()
}
