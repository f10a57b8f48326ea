//go:build explore

package freerun

import (
	"errors"
	"testing"
	"time"

	"github.com/freerun-go/freerun/internal/atomics"
	"github.com/freerun-go/freerun/internal/explore"
)

// handClock is a clock whose time comes when a thread says so.
type handClock struct {
	f       atomics.Pointer[func()]
	stopped atomics.Bool
	armed   atomics.Int32
}

func (k *handClock) now() time.Time { return time.Time{} }

func (k *handClock) afterFunc(_ time.Duration, f func()) (stop func() bool) {
	k.armed.Add(1)
	k.stopped.Store(false)
	k.f.Store(&f)
	return func() bool { return k.stopped.CompareAndSwap(false, true) }
}

// strike fires what is armed, unless it was stopped.
func (k *handClock) strike() {
	if f := k.f.Swap(nil); f != nil && !k.stopped.Load() {
		(*f)()
	}
}

// TestExploreTimer: a timer is made while the clock strikes, somebody stops it and the runtime ends: it fires or fails, once.
func TestExploreTimer(t *testing.T) {
	body := func(end func(*Timer) bool) func(*explore.Run) {
		return func(r *explore.Run) {
			k := &handClock{}
			rt := &Runtime{clock: k}
			fired, failed := atomics.Int32{}, atomics.Int32{}
			timer := &Timer{rt: rt, fire: func() { fired.Add(1) }, fail: func(error) { failed.Add(1) }}
			var made atomics.Bool
			r.Go("maker", func() {
				timer.begin(0)
				made.Store(true)
			})
			r.Go("clock", k.strike)
			r.Go("stopper", func() {
				if made.Load() {
					end(timer)
				}
			})
			r.Go("end", func() {
				rt.advance(draining)
				rt.endTimers()
			})
			r.After(func() {
				if fired.Load()+failed.Load() != 1 {
					r.Failf("fired %d times, failed %d times", fired.Load(), failed.Load())
				}
				rt.timers.Range(func(any, any) bool { r.Failf("it is still registered"); return false })
			})
		}
	}
	explore.Exhaustive(t, 3, body((*Timer).Stop))
	explore.MustFail(t, 3, body(func(timer *Timer) bool { // a control: looks, and then stores
		if timer.state.Load() == timerArmed {
			timer.state.Store(timerStopped)
			timer.forget()
			timer.fail(errStopped)
		}
		return true
	}))
}

// TestExploreRepetition stops a timer that repeats, between any two steps: it is not armed again, and no clock is left running.
func TestExploreRepetition(t *testing.T) {
	explore.Exhaustive(t, 3, func(r *explore.Run) {
		k := &handClock{}
		rt := &Runtime{clock: k}
		timer := &Timer{rt: rt}
		timer.fire = func() { timer.arm(0) }
		timer.begin(0)
		for _, name := range []string{"clock", "again"} {
			r.Go(name, k.strike)
		}
		r.Go("stopper", func() {
			if !timer.end(errors.New("enough")) {
				r.Failf("not stopped")
			}
		})
		r.After(func() {
			if timer.state.Load() != timerStopped || k.f.Load() != nil && !k.stopped.Load() {
				r.Failf("it is armed")
			}
		})
	})
}
