//go:build explore

package freerun

import (
	"testing"
	"time"
	"unsafe"

	"github.com/freerun-go/freerun/internal/promise"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/timerwheel"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// probe is the message of a timer in an exploration. It counts its ends.
type probe struct {
	message
	fired, failed atomics.Int32
	late          func() // called when a probe of probeAgain fires
}

func probeOf(m *message) *probe { return (*probe)(unsafe.Pointer(m)) }

var probeOnce = newVtable(vtable{
	late:   func(_ *worker, m *message) { probeOf(m).fired.Add(1) },
	unsent: func(_ *worker, m *message, _ *promise.Failure) { probeOf(m).failed.Add(1) },
}, nil)

var probeAgain = newVtable(vtable{late: func(_ *worker, m *message) { probeOf(m).late() }}, nil)

// handRuntime returns a runtime in which only the timers work, its one wheel, and the wheel's time.
func handRuntime() (*Runtime, *timerWheel, *handTime) {
	rt, h := &Runtime{draining: make(chan struct{})}, &handTime{inline: true}
	rt.wheels = make([]atomics.Pointer[timerWheel], 1)
	w := newTimerWheel(rt, h)
	rt.wheels[0].Store(w)
	return rt, w, h
}

// atRest fails the execution if a wheel has an owner, or has a timer in a slot and no alarm, or an
// alarm that rings after the timer is due.
func (w *timerWheel) atRest(r *explore.Run, h *handTime) {
	switch {
	case w.inbox.Load() != nil:
		r.Failf("the wheel has an owner")
	case w.slots.Empty():
	case h.rings.Load() == 0:
		r.Failf("there is a timer, and no alarm")
	case h.rings.Load()-1 > max(w.slots.Next(), h.at.Load()):
		r.Failf("the alarm rings at %d, a timer is due at %d", h.rings.Load()-1, w.slots.Next())
	}
}

// TestExploreTimer makes timers while the clock strikes, a timer is stopped and the runtime ends.
// Each timer fires or fails, once, and none is left. A timer made after the end began has failed
// when its maker goes on, and the maker waits for no other thread.
func TestExploreTimer(t *testing.T) {
	body := func(begin func(*Timer, time.Duration), end func(*Timer) bool) func(*explore.Run) {
		return func(r *explore.Run) {
			rt, w, h := handRuntime()
			var probes [2]*probe
			var timers [2]*Timer
			for i := range probes {
				probes[i] = &probe{}
				probes[i].become(probeOnce)
				timers[i] = &Timer{wheel: w, target: &probes[i].message}
			}
			timers[0].beginProbe(0)
			r.Go("maker", func() {
				late := rt.phase.Load() != running
				begin(timers[1], 1)
				if late && probes[1].failed.Load() != 1 {
					r.Failf("made after the end began, and open")
				}
			})
			r.Go("clock", func() { h.strike() })
			r.Go("stopper", func() { end(timers[0]) })
			r.Go("end", func() {
				rt.advance(drains)
				rt.endTimersNow()
			})
			r.After(func() {
				for i, p := range probes {
					if p.fired.Load()+p.failed.Load() != 1 {
						r.Failf("timer %d fired %d times, failed %d times", i, p.fired.Load(), p.failed.Load())
					}
				}
				w.atRest(r, h)
				if !w.slots.Empty() || rt.firing.Load() != 0 {
					r.Failf("a timer is in the wheel still, or counts as firing")
				}
			})
		}
	}
	explore.Exhaustive(t, 2, body((*Timer).beginProbe, (*Timer).Stop))
	explore.MustFail(t, 2, body(func(timer *Timer, d time.Duration) { // a control: no T5
		timer.arm(d, timerwheel.New)
	}, (*Timer).Stop))
	// A control: the stopper looks at the state and then stores, without a compare-and-swap.
	explore.MustFail(t, 2, body((*Timer).beginProbe, func(timer *Timer) bool {
		if timer.entry.State.Load() == timerwheel.Set {
			timer.entry.State.Store(timerwheel.Stopped)
			timer.wheel.remove(timer)
			timer.fail(stoppedTimer)
		}
		return true
	}))
}

// beginProbe is begin by an ordinary goroutine, for a probe.
func (t *Timer) beginProbe(d time.Duration) { t.begin(&t.wheel.rt.outside, probeOnce, d) }

// endTimersNow is endTimers of a runtime with one wheel.
func (rt *Runtime) endTimersNow() { rt.wheels[0].Load().end() }

// TestExploreTimerWheel adds timers from two goroutines, stops a timer, and has the clock strike
// again and again. No timer is lost, and none is left without an alarm.
func TestExploreTimerWheel(t *testing.T) {
	body := func(giveUp func(w *timerWheel) bool) func(*explore.Run) {
		return func(r *explore.Run) {
			_, w, h := handRuntime()
			var probes [3]*probe
			var timers [3]*Timer
			for i := range probes {
				probes[i] = &probe{}
				probes[i].become(probeOnce)
				timers[i] = &Timer{wheel: w, target: &probes[i].message}
			}
			timers[2].beginProbe(3)
			stopped := atomics.Bool{}
			r.Go("maker", func() {
				timers[0].beginProbe(2)
				stopped.Store(timers[0].Stop())
			})
			r.Go("other", func() {
				if giveUp == nil {
					timers[1].beginProbe(1)
					return
				}
				timers[1].entry.When = 1
				w.own()
				timers[1].entry.State.Store(timerwheel.Set)
				w.put(timers[1])
				w.setAlarm(w.wanted)
				giveUp(w)
			})
			r.Go("clock", func() { h.strike() })
			r.After(func() {
				w.atRest(r, h)
				for h.strike() {
					w.atRest(r, h)
				}
				for i, p := range probes {
					want := int32(1)
					if i == 0 && stopped.Load() {
						want = 0
					}
					if p.fired.Load() != want || p.fired.Load()+p.failed.Load() != 1 {
						r.Failf("timer %d fired %d times, failed %d times", i, p.fired.Load(), p.failed.Load())
					}
				}
			})
		}
	}
	explore.Exhaustive(t, 3, body(nil))
	// A control: the owner gives the wheel up without a look at the inbox.
	explore.MustFail(t, 3, body(func(w *timerWheel) bool {
		w.inbox.Store(nil)
		return true
	}))
}

// TestExploreRepetition stops a repeating timer between any two steps. The timer is not armed
// again, and keeps no message.
func TestExploreRepetition(t *testing.T) {
	explore.Exhaustive(t, 3, func(r *explore.Run) {
		_, w, h := handRuntime()
		p := &probe{}
		p.become(probeAgain)
		timer := &Timer{wheel: w, target: &p.message, entry: timerwheel.Entry{Repeats: true}}
		p.late = func() { timer.arm(1, timerwheel.Fired) }
		timer.beginProbe(0)
		for _, name := range []string{"clock", "again"} {
			r.Go(name, func() { h.strike() })
		}
		r.Go("stopper", func() {
			if !timer.end(stoppedTimer) {
				r.Failf("not stopped")
			}
		})
		r.After(func() {
			w.atRest(r, h)
			if timer.entry.State.Load() != timerwheel.Stopped || !w.slots.Empty() || timer.target != nil {
				r.Failf("it is armed, or keeps what it sent")
			}
		})
	})
}

// TestExploreRepetitionEnd ends the runtime while a repeating timer fires. The timer does not stay
// armed.
func TestExploreRepetitionEnd(t *testing.T) {
	explore.Exhaustive(t, 3, func(r *explore.Run) {
		rt, w, h := handRuntime()
		p := &probe{}
		p.become(probeAgain)
		timer := &Timer{wheel: w, target: &p.message, entry: timerwheel.Entry{Repeats: true}}
		p.late = func() { timer.arm(1, timerwheel.Fired) }
		timer.beginProbe(0)
		r.Go("clock", func() { h.strike() })
		r.Go("end", func() {
			rt.advance(drains)
			rt.endTimersNow()
		})
		r.After(func() {
			w.atRest(r, h)
			if timer.entry.State.Load() != timerwheel.Stopped || !w.slots.Empty() || timer.target != nil {
				r.Failf("it is armed, or keeps what it sent")
			}
		})
	})
}
