package freerun

import (
	"errors"
	"math"
	"time"
	"unsafe"

	"github.com/freerun-go/freerun/internal/promise"
	"github.com/freerun-go/freerun/internal/timerwheel"
)

// Timer is a message that [Operation.SendAfter] sends later, or the repetition begun by [Every],
// until it is stopped. SendAfter goes above the limit of a full mailbox with [WaitForRoom]; Every
// waits for room, and sends nothing else meanwhile.
//
// Any goroutine may call the methods; none waits. A Timer must not be copied; the zero Timer is of
// no use. A timer that has fired or was stopped keeps nothing but itself from being collected.
//
// A timer never fires early. One of Go's own timers rings for the first timer that is due. So a
// timer is as late as [time.AfterFunc] would be, and is not rounded to a tick; in a
// [testing/synctest] bubble it fires at its instant. Timers that are due together and were made on
// one P fire one after another, soonest first. To make a timer allocates twice and costs no more
// than time.AfterFunc, however many there are. To stop a timer allocates nothing, and frees the
// message for collection at once.
//
// A timer stops with the scope that it was made under. It stops with the runtime too, from the
// moment that [Runtime.Shutdown] or [Runtime.Close] is called: a timer that has not fired is not
// queued work. Neither Shutdown nor Quiesce waits for it. Its future fails with [ErrClosed] at
// once, and so does the future of a timer made later, by an operation that still runs.
type Timer struct {
	entry  timerwheel.Entry
	wheel  *timerWheel
	target *message // the message to send; its vtable has late. Nil once the timer has ended
	scope  *Scope   // nil without a scope, and once the timer has ended
	// dormant: the timer is in no wheel. It is a watch, which the end of a unit ends.
	dormant bool
}

func timerOf(e *timerwheel.Entry) *Timer { return (*Timer)(unsafe.Pointer(e)) }

// The steps T1 to T5 of a timer's state are those of [timerwheel.Entry].
//
// The winner of T3 or T4 has target and scope to itself. If a repeating timer is stopped in state
// fired, the end of its operation drops the target.
//
// Timer and cancellation: the maker puts the timer into the list of its scope, arms it, and then
// looks whether the scope is canceled. A canceler first cancels and then goes through the list. So
// one of the two sees the other.
//
// Timer and end of the runtime: the goroutine that arms a timer and the goroutine that ends the
// runtime meet the same way, in the phase and the wheels. The maker looks at the phase before it
// arms, too (T5). So a timer made while the runtime ends has failed when its maker goes on, and the
// maker waits for no wheel's owner.
//
// A timer counts as firing from before T3 until its message is sent, or failed. A repeating timer
// whose unit has a full mailbox counts while it waits for room. The end of the runtime ends that
// wait, and then waits for all firing timers, at most as long as Grace says. Neither a drain nor
// the maker of a timer waits for them. So when a runtime has ended within its grace, no timer is
// about to count or fail a message.

var (
	errStopped = errors.New("the timer was stopped")

	// Failures of timers that end one by one, allocated once.
	stoppedTimer = promise.NewFailure(&canceledError{Cause: errStopped})
	closedTimer  = promise.NewFailure(ErrClosed)
)

// Stop keeps the timer from firing, and reports whether it did: false if the timer has fired, or
// was stopped, before. If it did, the future fails with [ErrCanceled] at once. A repeating timer
// does not fire again; its operation, if running, goes on to its end. Any goroutine may call Stop;
// it does not wait, and panics for a nil or zero Timer.
func (t *Timer) Stop() bool {
	if t == nil || t.wheel == nil {
		panic("freerun: Stop of a nil or zero Timer")
	}
	return t.end(stoppedTimer)
}

// begin arms the timer for the first time. The caller is on w, and the operation that the timer
// will send has vtable k.
func (t *Timer) begin(w *worker, k *vtable, d time.Duration) {
	rt, s := t.wheel.rt, t.scope // read here: an armed timer may end and drop its scope
	if rt.phase.Load() != running {
		t.entry.State.Store(timerwheel.Stopped) // T5
		t.scope = nil                           // the timer is in no list
		t.fail(closedTimer)
		return
	}
	rt.env.register(t, s)
	w.traceTimer(k, t.target) // before it can fire
	t.arm(d, timerwheel.New)
	if s != nil && s.canceled() {
		t.end(promise.NewFailure(s.refusal()))
	}
}

// arm has the timer fire after d (T1, T2), if its state is from. Otherwise the timer was stopped.
func (t *Timer) arm(d time.Duration, from uint32) {
	rt := t.wheel.rt
	rt.env.arm(t, d, from)
	if rt.phase.Load() != running {
		t.end(closedTimer)
	}
}

// armInWheel is arm without the look at the phase.
func (t *Timer) armInWheel(d time.Duration, from uint32) {
	w := t.wheel
	now := w.time.elapsed()
	t.entry.When = now + min(int64(max(d, 0)), math.MaxInt64-now-1)
	if !w.add(t, from) && from == timerwheel.Fired {
		t.target = nil
	}
}

// fire sends the message of a timer that is due. The wheel's owner calls it; in a deterministic
// runtime, the virtual clock does.
func (t *Timer) fire(w *worker) {
	if !t.entry.State.CompareAndSwap(timerwheel.Set, timerwheel.Fired) { // T3
		return
	}
	m := t.target
	if !t.entry.Repeats {
		t.target = nil
		t.forget()
	}
	m.vtable().late(w, m)
}

// end stops the timer and fails it with why, and reports whether it did. A timer that has fired is
// stopped only if it repeats.
func (t *Timer) end(why *promise.Failure) bool {
	for {
		now := t.entry.State.Load()
		if now == timerwheel.New || now == timerwheel.Stopped || now == timerwheel.Fired && !t.entry.Repeats {
			return false
		}
		if !t.entry.State.CompareAndSwap(now, timerwheel.Stopped) { // T4
			continue
		}
		switch {
		case now == timerwheel.Fired:
			t.forget()
			return true
		case now == timerwheel.Set:
			t.wheel.rt.env.disarm(t)
		}
		t.fail(why)
		return true
	}
}

// fail fails the timer's message. The caller has stopped the timer before it fired (T4, T5).
func (t *Timer) fail(why *promise.Failure) {
	m := t.target
	t.target = nil
	t.forget()
	if unsent := m.vtable().unsent; unsent != nil {
		unsent(nil, m, why)
	}
}

// forget takes the timer out of its scope's list, or out of the deterministic runtime's register.
func (t *Timer) forget() {
	t.wheel.rt.env.forget(t)
	t.scope = nil
}

// endTimers fails all timers of the runtime except those that are firing.
func (rt *Runtime) endTimers() { rt.env.endTimers(rt) }

// fired ends one count of firing, and tells awaitFiring when none is left.
func (rt *Runtime) fired() {
	if rt.firing.Add(-1) == 0 && rt.phase.Load() != running {
		select {
		case rt.noneFires <- struct{}{}:
		default: // there is a notice already
		}
	}
}

// awaitFiring waits until no timer is firing, or over delivers. It may wait long: a firing timer
// that logs waits for the logger, and its goroutine waits for a core. Only the end of the runtime
// calls it.
func (rt *Runtime) awaitFiring(over <-chan time.Time) {
	for rt.firing.Load() != 0 {
		select {
		case <-rt.noneFires:
		case <-over:
			return
		}
	}
}
