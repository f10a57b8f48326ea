//go:build explore

package freerun

import (
	"math"
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/timerwheel"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// TestExploreKindEnd ends the runtime while a state waits for a future, and messages for the state:
// each of them runs, or fails with ErrClosed.
func TestExploreKindEnd(t *testing.T) {
	body := func(close func(x *theater)) func(r *explore.Run) {
		return func(r *explore.Run) {
			x := newTheater(r, staged, 1, 1)
			source := x.source()
			x.fresh = func(*worker, int) (error, *result[*seat]) { return nil, source }
			x.thread("one", func(w *worker) { x.visit(w, "a", 1) }, func(w *worker) { x.all(w, "M", 0, 1) })
			x.thread("resolve", func(w *worker) { x.resolve(w, source) })
			x.thread("end", func(*worker) { close(x) })
			r.After(func() {
				x.ended.Store(true)
				x.pump(x.rt.detachedWorker())
				x.check(func(_ note, err error) bool { return err == nil || err == ErrClosed || isClosed(err) })
			})
		}
	}
	explore.Exhaustive(t, 2, body(func(x *theater) {
		x.rt.advance(aborting)
		x.ended.Store(true)
	}))
	// A control: what is queued is thrown away.
	explore.MustFail(t, 2, body(func(x *theater) {
		x.rt.advance(aborting)
		x.rt.scheduler.TakeInjected()
	}))
}

func isClosed(err error) bool {
	why, failed := err.(*ActivationError)
	return failed && why.Err == ErrClosed
}

// TestExploreKindShutdown has a Shutdown stop the active units while another message is on its way.
func TestExploreKindShutdown(t *testing.T) {
	body := func(stop func(x *theater, w *worker)) func(r *explore.Run) {
		return func(r *explore.Run) {
			x := newTheater(r, staged, 1, 0)
			w := x.rt.detachedWorker()
			x.visit(w, "a", 0)
			x.pump(w)
			x.thread("follows", func(w *worker) { x.visit(w, "b", 0) })
			x.thread("shutdown", func(w *worker) { stop(x, w) })
			r.After(func() { x.check(succeeds) })
		}
	}
	explore.Exhaustive(t, 3, body(func(x *theater, w *worker) {
		x.rt.advance(drains)
		x.stop(w, 0)
	}))
	// A control: OnStop is called where the shutdown runs.
	explore.MustFail(t, 3, body(func(x *theater, _ *worker) {
		x.rt.advance(drains)
		if u := x.keyed[0]; u.keyed.is(active) {
			leaveSeat(nil, 0, &u.state)
			staged.forget(&u.unit)
			x.home.stats.passivations.Add(1)
		}
	}))
}

// TestExploreKindWatch has a watch begin while its unit becomes passive: it ends.
func TestExploreKindWatch(t *testing.T) {
	body := func(begin func(x *theater, w *worker, watch *watch)) func(r *explore.Run) {
		return func(r *explore.Run) {
			x := newTheater(r, staged, 1, 0)
			x.rt.wheels = make([]atomics.Pointer[timerWheel], 1)
			wheel := newTimerWheel(x.rt, &handTime{inline: true})
			x.rt.wheels[0].Store(wheel)
			watch := &watch{timer: Timer{wheel: wheel, dormant: true}}
			watch.result.promised.unit = &x.rt.free
			watch.result.promised.become(watchVtable)
			watch.timer.target = &watch.result.promised.message
			watch.timer.begin(&x.rt.outside, watchVtable, math.MaxInt64)
			w := x.rt.detachedWorker()
			x.visit(w, "a", 0)
			x.pump(w)
			x.thread("stop", func(w *worker) { x.stop(w, 0) })
			x.thread("watch", func(w *worker) { begin(x, w, watch) })
			r.After(func() {
				x.check(succeeds)
				_, err := watch.result.promised.Outcome()
				if watch.result.promised.Open() || err != nil || watch.result.value.Err != nil || watch.timer.entry.State.Load() != timerwheel.Stopped {
					r.Failf("open: %v, %v, %v", watch.result.promised.Open(), watch.result.value, err)
				}
			})
		}
	}
	explore.Exhaustive(t, 3, body(func(x *theater, w *worker, watch *watch) {
		m := &sendMessage[*freerunWatch, struct{}]{arg: watch}
		m.result.promised.start(&beginWatch.core, &x.units[0].unit)
		beginWatch.core.launch(w, &m.result.promised, anySender)
	}))
	// A control: the watch does not begin in the unit's turn.
	explore.MustFail(t, 3, body(func(x *theater, _ *worker, watch *watch) {
		if k := &x.keyed[0].keyed; k.is(active) {
			k.withLife().add(watch)
		} else {
			watch.end(Ended{})
		}
	}))
}

type freerunWatch = watch
