package freerun

import (
	"testing"
	"time"

	"github.com/freerun-go/freerun/internal/timerwheel"
)

// TestTimerKeepsNothing: a timer that has fired, or was stopped, keeps neither its message nor its
// scope nor the timers beside it from being collected.
func TestTimerKeepsNothing(t *testing.T) {
	rt := New(Processors(1))
	defer rt.Close()
	hand := handWheels(rt)
	scope := rt.Scope(t.Context())
	var timers []*Timer
	for i := range 100 {
		_, timer := timerAtTheEnd.SendAfter(scope.Context(), time.Hour, i)
		timers = append(timers, timer)
	}
	for _, timer := range timers[:50] {
		if !timer.Stop() {
			t.Error("not stopped")
		}
	}
	for hand.strike() {
	}
	for i, timer := range timers {
		if timer.target != nil || timer.scope != nil || timer.entry.Linked() {
			t.Errorf("timer %d keeps something: %+v", i, timer)
		}
	}
	if n := scope.more.Load().timers.Len(); n > 2*timerwheel.FewestSwept {
		t.Errorf("the scope keeps %d timers that have ended", n)
	}
	if err := scope.Wait(t.Context()); err != nil {
		t.Error(err)
	}
}
