package freerun

import (
	"fmt"
	"log/slog"
	"reflect"
	"time"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// PanicReport describes, to the hook of [OnPanic], an operation that panicked or called
// runtime.Goexit.
type PanicReport struct {
	Err      *PanicError
	Restarts int  // how often the unit was restarted so far, for this fault too
	Stopped  bool // the unit runs no further operation
	// BackOff is for how long the unit lies still now ([BackOff]); 0 if it goes on at once.
	BackOff time.Duration
}

// faultPolicy says what becomes of a unit whose operation panicked. The options set the first
// fields; all others are the owner's.
type faultPolicy struct {
	restart func(u *unit) // gives the unit a new state; nil: the unit keeps its state
	most    int           // restarts within the window; at the next fault the unit is stopped
	window  time.Duration
	stop    bool
	hook    func(PanicReport)
	backOff *backOff // nil: the unit goes on at once after a restart
	cancels *Scope   // nil: none

	restarts atomics.RelaxedUint64
	recent   []time.Time // the restarts within the window, oldest first
}

// policy returns the unit's policy; nil: a unit keeps its state after a panic. Any goroutine.
func (x *unitExt) policy() *faultPolicy {
	if l := x.life.Load(); l != nil {
		return l.policy
	}
	return nil
}

// faults returns the policy for options to set, and makes it if there is none.
func (x *unitExt) faults() *faultPolicy {
	l := x.withLife()
	if l.policy == nil {
		l.policy = &faultPolicy{}
	}
	return l.policy
}

// RestartOnPanic gives the unit a new state, made by factory, when an operation panics or calls
// runtime.Goexit: what the operation left half done is gone. The next message finds the new state.
// After most restarts within the window, the next such operation stops the unit, as with
// [StopOnPanic]; a factory that panics stops it too. Without this option a unit keeps the state
// that it has. With [BackOff] the unit lies still for a while before the next message.
//
// The factory has the unit and a processor to itself, and must not wait, as the hook of [OnPanic].
// RestartOnPanic panics if factory is nil, or if most or window is not positive; NewUnit panics if
// the unit's state has another type.
func RestartOnPanic[S any](factory func() S, most int, window time.Duration) UnitOption {
	if factory == nil || most < 1 || window <= 0 {
		panic("freerun: RestartOnPanic needs a factory, at least 1 restart and a positive window")
	}
	made := reflect.TypeFor[S]()
	return UnitOption{func(x *unitExt, state reflect.Type) {
		if made != state {
			panic(fmt.Sprintf("freerun: RestartOnPanic with a factory of %v for a unit of %v", made, state))
		}
		p := x.faults()
		p.restart, p.most, p.window = func(u *unit) { *stateOf[S](unsafe.Pointer(u)) = factory() }, most, window
	}}
}

// StopOnPanic stops the unit when an operation panics or calls runtime.Goexit: all messages in its
// mailbox, and all that come later, fail with [ErrStopped]. It excludes [RestartOnPanic] and
// [Restarts]: NewUnit, NewKind and Configure panic.
func StopOnPanic() UnitOption {
	return UnitOption{func(x *unitExt, _ reflect.Type) { x.faults().stop = true }}
}

// OnPanic calls hook after an operation of the unit panicked or called runtime.Goexit, and before
// the operation's future fails. The hook has the unit and a processor to itself. It must not wait:
// waits of the runtime are refused there as in an operation. A hook that panics is reported, and
// harms nothing else. OnPanic panics if hook is nil.
func OnPanic(hook func(PanicReport)) UnitOption {
	if hook == nil {
		panic("freerun: OnPanic with a nil hook")
	}
	return UnitOption{func(x *unitExt, _ reflect.Type) { x.faults().hook = hook }}
}

// asksUser reports whether a panic in message m, which task t runs, has a function of the user's
// called: a factory or a hook of its units.
func asksUser(t *sched.Task, m *message) bool {
	if u := unitRunBy(t); u != nil {
		return u.asksUser()
	}
	k := m.vtable()
	if k.multiAt == 0 {
		return false
	}
	parts := k.multi(m).all()
	for i := range parts {
		if parts[i].unit.asksUser() {
			return true
		}
	}
	return false
}

func (u *unit) asksUser() bool {
	x := u.ext.Load()
	if x == nil {
		return false
	}
	p := x.policy()
	return p != nil && (p.restart != nil || p.hook != nil)
}

// faulted applies the unit's policy after an operation of the unit ended with err. Owner only.
func (u *unit) faulted(err *PanicError) {
	x := u.ext.Load()
	if x == nil || x.policy() == nil {
		return
	}
	p, of := x.policy(), x.keyed()
	var fatal *PanicError
	var pause time.Duration
	switch {
	case x.isStopped(): // by a Stop, whose function has panicked
	case p.stop:
		fatal = err
	case p.restart != nil && !p.mayRestart(u.rt.env.now()):
		fatal = err
	case p.restart != nil:
		p.restarts.Add(1)
		fatal = guard("the factory of RestartOnPanic", func() { p.restart(u) })
		if of != nil && fatal == nil {
			of.withRare().faulted = err
			x.tellWatches(Ended{Err: err})
		}
		if fatal == nil {
			pause = u.backsOff(p)
		}
	}
	if fatal != nil {
		why := &StoppedError{Err: fatal, Restarts: p.restarted()}
		u.endStopped(x, why)
		p.escalate(why)
	}
	if of != nil && x.isStopped() {
		of.endTimers()
	}
	if p.hook == nil {
		return
	}
	fault := PanicReport{Err: err, Restarts: p.restarted(), Stopped: x.isStopped(), BackOff: pause}
	if crash := guard("the hook of OnPanic", func() { p.hook(fault) }); crash != nil {
		u.rt.log(slog.LevelError, "hook panicked", "operation", err.Operation, "panic", crash.Value, "stack", string(crash.Stack))
	}
}

// restarted returns how often the unit was restarted.
func (p *faultPolicy) restarted() int {
	if p == nil {
		return 0
	}
	return int(p.restarts.Load())
}

// mayRestart reports whether the window has room for one more restart, and takes it.
func (p *faultPolicy) mayRestart(now time.Time) bool {
	for len(p.recent) > 0 && now.Sub(p.recent[0]) >= p.window {
		p.recent = p.recent[1:]
	}
	if len(p.recent) == p.most {
		return false
	}
	p.recent = append(p.recent, now)
	return true
}

// escalate cancels the scope of a unit that was stopped because of why. The unit's owner.
func (p *faultPolicy) escalate(why *StoppedError) {
	s := p.cancels
	if s == nil || s.canceled() {
		return
	}
	// First: Cancel fails the scope's timers, and those are no first failure.
	s.fail(why.Err.Operation, &s.key.root, why)
	s.Cancel(why)
}

// mustFit panics if the options for panics do not fit each other, or the unit's runtime. rt is nil
// where a kind is declared. restarts says that an option restarts the unit.
func (p *faultPolicy) mustFit(rt *Runtime, restarts bool) {
	switch {
	case p == nil:
	case p.backOff != nil && (p.stop || !restarts):
		panic("freerun: BackOff for a unit that is not restarted; it needs RestartOnPanic, or Restarts for a kind, and no StopOnPanic")
	case p.stop && restarts:
		panic("freerun: StopOnPanic for a unit that is restarted, with RestartOnPanic, or Restarts of its kind; a panic does one of both")
	case p.cancels == nil:
	case !p.stop && !restarts:
		panic("freerun: CancelsScope for a unit that no panic stops; it needs StopOnPanic, RestartOnPanic, or Restarts for a kind")
	case rt == nil:
		panic("freerun: CancelsScope in NewKind, and a scope is of one runtime; use Configure")
	case p.cancels.rt != rt:
		panic("freerun: CancelsScope with a scope of another runtime than the unit's")
	}
}
