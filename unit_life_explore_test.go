//go:build explore

package freerun

import (
	"math"
	"testing"

	"github.com/freerun-go/freerun/internal/promise"
	"github.com/freerun-go/freerun/internal/timerwheel"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// TestExploreWatch ends a watch in three ways at once: its unit ends, its scope is canceled, and
// the runtime ends. It has one outcome, and nothing keeps it afterwards.
func TestExploreWatch(t *testing.T) {
	why := &StoppedError{Restarts: 3}
	body := func(end func(x *watch)) func(*explore.Run) {
		return func(r *explore.Run) {
			rt, w, _ := handRuntime()
			rt.free.rt, rt.outside.rt = rt, rt
			x := &watch{timer: Timer{wheel: w, dormant: true}}
			x.result.promised.unit = &rt.free
			x.result.promised.become(watchVtable)
			x.timer.target = &x.result.promised.message
			r.Go("unit", func() {
				x.timer.begin(&rt.outside, watchVtable, math.MaxInt64)
				end(x)
				if x.result.promised.Open() && x.timer.entry.State.Load() != timerwheel.Stopped {
					r.Failf("open after the end")
				}
			})
			r.Go("scope", func() { x.timer.end(promise.NewFailure(ErrCanceled)) })
			r.Go("end", func() {
				rt.advance(drains)
				rt.endTimers()
			})
			r.After(func() {
				_, err := x.result.promised.Outcome()
				switch {
				case x.result.promised.Open():
					r.Failf("open")
				case rt.ingress.failed.Load() != 0:
					r.Failf("two outcomes")
				case err == nil && x.result.value.Err != why, err != nil && err != ErrCanceled && err != ErrClosed:
					r.Failf("%v, %v", x.result.value, err)
				}
				for range rt.watches.Range {
					r.Failf("the runtime keeps the watch")
				}
			})
		}
	}
	explore.Exhaustive(t, 3, body(func(x *watch) { x.end(Ended{Err: why}) }))
	// A control: the unit's owner looks at the state and then stores, without a compare-and-swap.
	explore.MustFail(t, 3, body(func(x *watch) {
		if x.timer.entry.State.Load() == timerwheel.Set {
			x.timer.entry.State.Store(timerwheel.Stopped)
			x.timer.wheel.rt.env.disarm(&x.timer)
			x.timer.fail(promise.NewFailure(endOf{Ended{Err: why}}))
		}
	}))
}
