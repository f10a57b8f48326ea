package freerun

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/freerun-go/freerun/internal/atomics"
	"github.com/freerun-go/freerun/internal/backoff"
)

// Timer is what [Operation.SendAfter] or [Every] has begun, to be stopped. Any goroutine may call its methods; none waits. It must not be copied;
// the zero Timer is of no use.
//
// A timer stops with the scope that it was made under, and with the runtime, from the moment that [Runtime.Shutdown] or [Runtime.Close] is
// called: what has not fired is no work that is queued. A Shutdown does not wait for it, nor does Quiesce; its future fails with
// [ErrClosed] at once, and so does that of a timer made later, by an operation that still runs.
type Timer struct {
	rt    *Runtime
	scope *Scope             // nil if it is in none
	fire  func()             // when it is time
	fail  func(reason error) // when it was stopped before; nil if it repeats
	state atomics.Uint32
	stop  atomics.Pointer[func() bool] // the clock's
	nth   uint64                       // of a deterministic runtime's timers
}

// The states of a timer. Each step is a compare-and-swap, so a timer either fires or is stopped, never both:
//
//	T1 armed → fired    by the clock       then it fires; one that repeats is armed again when its operation has ended
//	T2 fired → armed    by that operation's end
//	T3 armed → stopped  by whoever stops it: then it fails; one that repeats may be stopped when it is fired, too, and is not armed again
//
// It is registered with its scope and its runtime before it is armed first, and then looks whether they have ended; those who end them do so first
// and then go through all that are registered: one of the two sees the other.
//
// A timer that fires counts as firing from before T1 until its message is sent, or failed; the end of the runtime, and who arms a timer at that moment, wait for those:
// they wait for nothing themselves. So when a runtime has ended there is no message that somebody is about to count, or fail.
const (
	timerFired uint32 = iota // so a new one is not armed
	timerArmed
	timerStopped
)

var errStopped = errors.New("the timer was stopped")

// Stop keeps the timer from firing, and reports whether it did: false if it has fired, or was stopped, before. Then the future fails with
// [ErrCanceled] at once. One that repeats does not fire again; if its operation is running, that goes on to its end.
func (t *Timer) Stop() bool {
	if t == nil || t.rt == nil {
		panic("freerun: Stop of a nil or zero Timer")
	}
	return t.end(&CanceledError{Cause: errStopped})
}

// begin registers the timer and arms it for the first time.
func (t *Timer) begin(d time.Duration) {
	if t.rt.deterministic() {
		t.rt.begunTimers++
		t.nth = t.rt.begunTimers
	}
	t.rt.timers.Store(t, nil)
	if s := t.scope; s != nil {
		s.timers.Store(t, nil)
		s.watch()
	}
	t.arm(d)
	switch {
	case t.rt.phase.Load() != running:
		t.end(ErrClosed)
		t.rt.awaitFiring()
	case t.scope != nil && t.scope.canceled():
		t.end(t.scope.refusal())
	}
}

// arm has the timer fire after d (T2).
func (t *Timer) arm(d time.Duration) {
	if !t.state.CompareAndSwap(timerFired, timerArmed) {
		return
	}
	stop := t.rt.clock.afterFunc(d, t.tick)
	t.stop.Store(&stop)
	if t.state.Load() == timerStopped { // who stopped it may not have found what to stop
		stop()
	}
}

// tick is what the clock calls.
func (t *Timer) tick() {
	t.rt.firing.Add(1)
	defer t.rt.firing.Add(-1)
	if !t.state.CompareAndSwap(timerArmed, timerFired) { // T1
		return
	}
	if t.fail != nil { // once only
		t.forget()
	}
	t.fire()
}

// end stops the timer for a reason; one that has fired only if it repeats.
func (t *Timer) end(reason error) bool {
	for {
		now := t.state.Load()
		if now == timerStopped || now == timerFired && t.fail != nil {
			return false
		}
		if t.state.CompareAndSwap(now, timerStopped) { // T3
			break
		}
	}
	if stop := t.stop.Load(); stop != nil {
		(*stop)()
	}
	t.forget()
	if t.fail != nil {
		t.fail(reason)
	}
	return true
}

// forget takes the timer off the registers.
func (t *Timer) forget() {
	t.rt.timers.Delete(t)
	if t.scope != nil {
		t.scope.timers.Delete(t)
	}
}

// endTimers fails all timers of the runtime, and waits for those that fire.
func (rt *Runtime) endTimers() {
	for _, t := range rt.openTimers(&rt.timers) {
		t.end(ErrClosed)
	}
	rt.awaitFiring()
}

// mostFiring is how long the end waits for timers that fire: they take no time themselves, but their goroutine may have to wait for a core.
const mostFiring = 10 * time.Second

// awaitFiring waits for timers that fire, but not for ever: one that sends to a full mailbox waits for room, and one that logs, for the logger.
func (rt *Runtime) awaitFiring() {
	wait := backoff.Backoff{}
	for begun := time.Now(); rt.firing.Load() != 0 && time.Since(begun) < mostFiring; {
		wait.Wait()
	}
}

// openTimers returns the timers of a register that have not ended, in the order in which they began if the runtime is deterministic.
func (rt *Runtime) openTimers(register *sync.Map) (open []*Timer) {
	register.Range(func(t, _ any) bool {
		open = append(open, t.(*Timer))
		return true
	})
	if rt.deterministic() {
		slices.SortFunc(open, func(a, b *Timer) int { return cmp.Compare(a.nth, b.nth) })
	}
	return open
}

// watch sees to it that the timers of a scope end with it however that ends: its parent may, or the context that it was made with.
func (s *Scope) watch() {
	if !s.rt.deterministic() { // whose driver looks
		s.watchOnce.Do(func() {
			unwatch := context.AfterFunc(s.ctx, s.endTimers)
			s.unwatch.Store(&unwatch)
		})
	}
}

// endTimers fails all timers of a scope that was canceled, and wakes its activities.
func (s *Scope) endTimers() {
	for _, t := range s.rt.openTimers(&s.timers) {
		t.end(s.refusal())
	}
	s.interruptWaiting()
}
