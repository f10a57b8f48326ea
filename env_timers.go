package freerun

import (
	"context"
	"time"

	"github.com/freerun-go/freerun/internal/promise"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/timerwheel"
)

// What timers, and the ends of scopes that they wait for, do in the two kinds of runtimes. Live,
// timers are in the wheels, and a goroutine of package context ends those of a scope with its
// context. In a simulated runtime timers are in the virtual clock, and the driver ends what was
// canceled when nothing is left to run.

// newWheels returns the wheels of rt. A simulated runtime has one, without slots: it stands for the
// runtime alone.
func (e env) newWheels(rt *Runtime) []atomics.Pointer[timerWheel] {
	if e.sim == nil {
		return make([]atomics.Pointer[timerWheel], rt.ingress.stripes.Len())
	}
	wheels := make([]atomics.Pointer[timerWheel], 1)
	wheels[0].Store(&timerWheel{rt: rt})
	return wheels
}

// register makes t, which is about to be armed, known to what ends it. s is its scope.
func (e env) register(t *Timer, s *Scope) {
	switch {
	case e.sim != nil:
		e.sim.register(t)
	case s != nil:
		s.withMore().timers.Add(&t.entry)
		s.enroll()
	}
}

// forget undoes register.
func (e env) forget(t *Timer) {
	switch {
	case e.sim != nil:
		e.sim.timers.Delete(t)
	case t.scope != nil:
		t.scope.withMore().timers.Ended()
	}
}

// arm has t fire after d (T1, T2), if its state is from.
func (e env) arm(t *Timer, d time.Duration, from uint32) {
	switch {
	case t.dormant:
		if e.sim == nil {
			t.wheel.rt.watches.Store(t, nil)
		}
		t.entry.State.CompareAndSwap(from, timerwheel.Set)
	case e.sim != nil:
		e.sim.arm(t, d, from)
	default:
		t.armInWheel(d, from)
	}
}

// disarm takes t out, whose state was Set.
func (e env) disarm(t *Timer) {
	switch {
	case t.dormant:
		t.wheel.rt.watches.Delete(t)
	case e.sim != nil:
		e.sim.disarm(t)
	default:
		t.wheel.remove(t)
	}
}

// endTimers fails all timers of rt except those that are firing.
func (e env) endTimers(rt *Runtime) {
	if e.sim != nil {
		e.sim.endTimers(nil, closedTimer)
		return
	}
	for i := range rt.wheels {
		if w := rt.wheels[i].Load(); w != nil {
			w.end()
		}
	}
	for t := range rt.watches.Range {
		t.(*Timer).end(closedTimer)
	}
}

// endTimersOf fails the timers of the scope, which is canceled. In a simulated runtime it fails
// those of the scopes below too.
func (e env) endTimersOf(s *Scope) {
	if e.sim != nil {
		e.sim.endTimers(s, promise.NewFailure(s.refusal()))
	} else if m := s.more.Load(); m != nil && !m.timers.Empty() {
		why := promise.NewFailure(s.refusal())
		m.timers.Each(func(e *timerwheel.Entry) { timerOf(e).end(why) })
	}
}

// enroll has the end of the scope's context, or of the scope above, end its timers and waits (E1,
// E2).
func (e env) enroll(s *Scope) {
	if e.sim == nil {
		s.enroll()
	}
}

// AfterFunc implements [activityhost.Owner].
func (t *activityHost) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	return t.rt.env.afterFunc(d, f)
}

// AfterDone implements [activityhost.Owner].
func (t *activityHost) AfterDone(ctx context.Context, f func()) (stop func() bool) {
	return t.rt.env.afterDone(ctx, f)
}

// Drive implements [activityhost.Owner].
func (t *activityHost) Drive(ctx context.Context, reached func() bool) (driven bool, err error) {
	return t.rt.env.driveUntil(ctx, conditionFunc(reached))
}
