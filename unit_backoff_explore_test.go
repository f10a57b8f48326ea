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

// resting is a crossing whose units are restarted, and lie still for a time that the test lets
// pass.
type resting struct {
	*crossing
	time *handTime

	// The steps, or faulty ones.

	release func(m *multi, w *worker)
	wake    func(w *worker, m *message)
	end     func()
}

func newResting(r *explore.Run, units int) *resting {
	x := &resting{crossing: newCrossing(r, units), time: &handTime{inline: true}}
	x.rt.draining = make(chan struct{})
	x.rt.wheels = make([]atomics.Pointer[timerWheel], 1)
	x.rt.wheels[0].Store(newTimerWheel(x.rt, x.time))
	for i := range x.units {
		p := x.units[i].extend().faults()
		p.restart, p.most, p.window = func(*unit) {}, 9, time.Hour
		p.backOff = &backOff{least: 1, most: 1}
	}
	x.release = func(m *multi, w *worker) { m.release(w, false) }
	x.wake = endRest
	x.end = func() {
		x.rt.advance(drains)
		x.rt.endTimersNow()
	}
	return x
}

// send sends a message to one unit, which must not run while the unit lies still.
func (x *resting) send(name string, to int) {
	w := x.rt.discarder()
	m := &message{unit: &x.units[to]}
	m.become(newVtable(vtable{fail: func(*worker, *message, error) {
		if x.units[to].ext.Load().resting() != nil {
			x.r.Failf("%s has run on a unit that lies still", name)
		}
		x.run(name, []int{to})
	}}, nil))
	x.deliver(w, m.unit, m)
	w.discardOrphans()
}

// fault sends an operation that panics to all units.
func (x *resting) fault() {
	w := x.rt.discarder()
	m := x.told(len(x.units))
	parts := m.multi.all()
	for i := range parts {
		parts[i].unit = &x.units[i]
	}
	m.tell.message.become(newVtable(vtable{fail: func(w *worker, _ *message, _ error) {
		m.multi.faulted(&PanicError{})
		for i := range parts {
			r := parts[i].unit.ext.Load().resting()
			if r == nil { // the runtime drains
				continue
			}
			r.until = time.Time{} // so that the time of the test's machine does not matter
			r.become(newVtable(vtable{
				late:   func(_ *worker, m *message) { x.wakes(m) },
				unsent: func(_ *worker, m *message, _ *promise.Failure) { x.wakes(m) },
			}, nil))
		}
		x.release(&m.multi, w)
	}}, nil))
	if err := m.multi.arrange(w); err != nil {
		x.r.Failf("%v", err)
	}
	m.multi.place(w)
	w.discardOrphans()
}

// wakes ends a rest, and runs the unit.
func (x *resting) wakes(m *message) {
	w := x.rt.discarder()
	x.wake(w, m)
	w.discardOrphans()
}

// hold fails the execution unless the messages have run once, and all units are idle.
func (x *resting) hold(want map[int][]string) {
	for i := range x.units {
		u := &x.units[i]
		switch {
		case u.ext.Load().resting() != nil:
			x.r.Failf("unit %d lies still", i)
		case u.mailbox.Newest() != nil:
			x.r.Failf("unit %d is not idle", i)
		case len(x.log[i]) != len(want[i]):
			x.r.Failf("unit %d has run %v", i, x.log[i])
		}
		for k, name := range want[i] {
			if x.log[i][k] != name {
				x.r.Failf("unit %d has run %v", i, x.log[i])
			}
		}
	}
	if w := x.rt.wheels[0].Load(); w.inbox.Load() != nil || !w.slots.Empty() || x.rt.firing.Load() != 0 {
		x.r.Failf("a timer is left")
	}
}

// TestExploreBackOff has a unit lie still while it is sent to, the time passes, and the runtime
// begins to drain. All messages run, once and in order, and none before the end of the rest.
func TestExploreBackOff(t *testing.T) {
	body := func(change func(x *resting)) func(*explore.Run) {
		return func(r *explore.Run) {
			x := newResting(r, 1)
			change(x)
			r.Go("owner", x.fault)
			r.Go("sender", func() { x.send("first", 0); x.send("second", 0) })
			r.Go("clock", func() { x.time.strike() })
			r.Go("end", func() { x.end() })
			r.After(func() { x.hold(map[int][]string{0: {"first", "second"}}) })
		}
	}
	explore.Exhaustive(t, 2, body(func(*resting) {}))
	explore.Random(t, 20_000, body(func(*resting) {}))
	for name, bug := range map[string]func(x *resting){
		"no look at the phase, so a lost wake": func(x *resting) {
			x.release = func(m *multi, w *worker) {
				r := m.all()[0].unit.ext.Load().resting()
				if r == nil {
					m.release(w, false)
					return
				}
				r.timer.wheel, r.timer.target = x.rt.wheel(), &r.message
				r.timer.armInWheel(0, timerwheel.New)
			}
		},
		"a drain that wakes beside the timer, so two wakes": func(x *resting) {
			x.end = func() {
				x.rt.advance(drains)
				if r := x.units[0].ext.Load().resting(); r != nil && r.timer.entry.State.Load() == timerwheel.Set {
					x.wakes(&r.message)
				}
				x.rt.endTimersNow()
			}
		},
		"the rest is taken away after the unit was queued": func(x *resting) {
			x.wake = func(w *worker, m *message) {
				u := (*rest)(unsafe.Pointer(m)).unit
				u.goOn(w)
				w.discardOrphans()
				u.ext.Load().policy().backOff.rest.Store(nil)
			}
		},
		"the mailbox is given up": func(x *resting) {
			x.release = func(m *multi, w *worker) {
				u := m.all()[0].unit
				r := u.ext.Load().resting()
				if r == nil || !u.mailbox.GiveUp() {
					m.release(w, false)
					return
				}
				r.begin(w)
			}
		},
	} {
		t.Run(name, func(t *testing.T) { explore.MustFail(t, 2, body(bug)) })
	}
}

// TestExploreBackOffSeveral has two units lie still after an operation on both, and end that at two
// instants, or at one with the runtime. A message to one waits for that unit alone.
func TestExploreBackOffSeveral(t *testing.T) {
	body := func(change func(x *resting)) func(*explore.Run) {
		return func(r *explore.Run) {
			x := newResting(r, 2)
			change(x)
			r.Go("owner", x.fault)
			r.Go("sender", func() { x.send("one", 0); x.send("other", 1) })
			r.Go("end", func() { x.end() })
			r.After(func() { x.hold(map[int][]string{0: {"one"}, 1: {"other"}}) })
		}
	}
	explore.Exhaustive(t, 2, body(func(*resting) {}))
	explore.MustFail(t, 2, body(func(x *resting) { // a control: the second unit is queued
		x.release = func(m *multi, w *worker) {
			one, other := m.all()[0].unit, m.all()[1].unit
			one.releaseWithExt(w, one.ext.Load())
			other.goOn(w)
		}
	}))
}
