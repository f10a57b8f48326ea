package vclock_test

import (
	"slices"
	"testing"
	"time"

	"github.com/freerun-go/freerun/internal/vclock"
)

// TestClock: timers fire by time and, at one instant, in the order in which they were set, timers
// set by a firing timer included. A stopped timer does not fire.
func TestClock(t *testing.T) {
	c := vclock.New(nil)
	begin := c.Now()
	var fired []string
	note := func(name string) func() {
		return func() { fired = append(fired, name+" "+c.Now().Sub(begin).String()) }
	}
	c.AfterFunc(2*time.Second, note("late"))
	c.AfterFunc(time.Second, func() {
		note("first")()
		c.AfterFunc(0, note("set by first"))
	})
	c.AfterFunc(time.Second, note("second"))
	c.AfterFunc(-time.Second, note("past"))
	stopped := c.AfterFunc(time.Second, note("stopped"))
	if !c.Stop(stopped) || c.Stop(stopped) {
		t.Error("a timer is stopped once")
	}
	for c.Advance() {
	}
	want := []string{"past 0s", "first 1s", "second 1s", "set by first 1s", "late 2s"}
	if !slices.Equal(fired, want) {
		t.Errorf("fired %q, want %q", fired, want)
	}
	if c.Stop(stopped) {
		t.Error("a timer that has gone was stopped")
	}
}

// source simulates time that passes while operations run.
type source struct{ passed time.Duration }

func (s *source) Now() time.Duration       { return s.passed }
func (s *source) Idle(until time.Duration) { s.passed = max(s.passed, until) }

// TestClockWithSource: a timer that becomes due while operations run fires late, and time does not
// go back.
func TestClockWithSource(t *testing.T) {
	s := &source{}
	c := vclock.New(s)
	begin := c.Now()
	var at []time.Duration
	for _, d := range []time.Duration{time.Second, 3 * time.Second} {
		c.AfterFunc(d, func() { at = append(at, c.Now().Sub(begin)) })
	}
	s.passed = 2 * time.Second
	if next, some := c.Next(); next != time.Second || !some {
		t.Errorf("the next timer is at %v: %v", next, some)
	}
	for c.Advance() {
	}
	if _, some := c.Next(); some {
		t.Error("there is a next timer after the last one")
	}
	if want := []time.Duration{2 * time.Second, 3 * time.Second}; !slices.Equal(at, want) {
		t.Errorf("fired at %v, want %v", at, want)
	}
}

// TestFire: of the timers that are due all fire, in their order, but not those that they set; and
// the others later.
func TestFire(t *testing.T) {
	s := &source{}
	c := vclock.New(s)
	var fired []string
	note := func(name string) func() { return func() { fired = append(fired, name) } }
	c.AfterFunc(2*time.Second, note("second"))
	c.AfterFunc(time.Second, func() {
		note("first")()
		c.AfterFunc(0, note("set by first"))
	})
	c.AfterFunc(3*time.Second, note("later"))
	if c.Fire(); c.Due() || len(fired) > 0 {
		t.Errorf("%q fired early", fired)
	}
	s.passed = 2 * time.Second
	for _, want := range [][]string{{"first", "second"}, {"first", "second", "set by first"}} {
		if !c.Due() {
			t.Errorf("nothing is due after %q", fired)
		}
		if c.Fire(); !slices.Equal(fired, want) {
			t.Errorf("fired %q, want %q", fired, want)
		}
	}
	if c.Due() {
		t.Error("a timer is due a second early")
	}
}
