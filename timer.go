package freerun

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/vclock"
)

// Timer is a message that [Operation.SendAfter] sends later, or the repetition that [Every] has
// begun, until it is stopped. SendAfter goes above the limit of a full mailbox with [Wait]; Every
// waits for room, and sends nothing else meanwhile. Any goroutine may call its methods; none waits.
// It must not be copied; the zero Timer is of no use. Once it has fired or was stopped it keeps
// nothing but itself from being collected.
//
// A timer never fires early. One of Go's own timers rings for the first that is due, so it is as late
// as [time.AfterFunc] would be, and is not rounded to a tick; in a [testing/synctest] bubble it fires
// at its instant. Timers that are due together and were made on one P fire one after another, soonest
// first. Making one allocates twice and costs no more than time.AfterFunc, however many there are;
// stopping one allocates nothing and takes the message out of memory at once.
//
// A timer stops with the scope that it was made under, and with the runtime, from the moment that
// [Runtime.Shutdown] or [Runtime.Close] is called: what has not fired is no work that is queued. A
// Shutdown does not wait for it, nor does Quiesce; its future fails with [ErrClosed] at once, and
// so does that of a timer made later, by an operation that still runs.
type Timer struct {
	node    mailbox.Node // in the wheel's inbox
	wheel   *timerWheel
	target  *message // what is sent; of kind.late and kind.unsent. Nil once it has ended
	scope   *Scope   // nil if it is in none, or has ended
	state   atomics.Uint32
	repeats bool

	// The wheel's.
	slot           uint16
	when           int64
	next, previous *Timer

	below   atomics.Pointer[Timer] // in the scope's list
	virtual *vclock.Timer          // of a deterministic runtime
}

// The states of a timer. Each step is a compare-and-swap, so a timer either fires or is stopped,
// never both:
//
//	T1 new, fired → sent → set   to be armed: sent lies in the wheel's inbox until its owner looks
//	T2 new, fired → set          the same, when the maker owns the wheel
//	T3 set → fired               by the wheel's owner when it is due: then it fires
//	T4 sent, set → stopped       by the stopper: then it fails
//	T5 new → stopped             by the maker, who finds that the runtime ends: then it fails
//
// A timer that repeats is armed again when its operation has ended. It may be stopped when it is
// fired, too, and is not armed again then.
//
// The winner of T3 or T4 has target and scope to itself. If one that repeats is stopped when it is
// fired, the end of its operation drops the target.
//
// The list of its scope has the timer before it is armed first, and then the maker looks whether
// the scope is canceled; a canceler cancels first and then goes through the list: one of the two
// sees the other. The end of the runtime and all who arm a timer meet the same way, in the phase
// and the wheels. The maker looks at the phase before, too (T5): so a timer that is made while the
// runtime ends has failed when its maker goes on, which waits for no wheel's owner.
//
// A timer that fires counts as firing from before T3 until its message is sent, or failed. One that
// repeats, and whose unit has a full mailbox, counts while it waits for room. The end of the runtime
// waits for all of them after it has ended that wait, at most as long as Grace says; a drain does
// not, nor does the maker of a timer. So when a runtime has ended within its grace there is no
// message that a timer is about to count, or fail.
const (
	timerNew uint32 = iota
	timerSent
	timerSet
	timerFired
	timerStopped
)

var (
	errStopped = errors.New("the timer was stopped")

	// What timers fail with that are ended one by one, made once.
	stoppedTimer = newFailure(&CanceledError{Cause: errStopped})
	closedTimer  = newFailure(ErrClosed)
)

// Stop keeps the timer from firing, and reports whether it did: false if it has fired, or was
// stopped, before. Then the future fails with [ErrCanceled] at once. One that repeats does not fire
// again; if its operation is running, that goes on to its end.
func (t *Timer) Stop() bool {
	if t == nil || t.wheel == nil {
		panic("freerun: Stop of a nil or zero Timer")
	}
	return t.end(stoppedTimer)
}

// over reports whether the timer has ended.
func (t *Timer) over() bool {
	now := t.state.Load()
	return now == timerStopped || now == timerFired && !t.repeats
}

// begin arms the timer for the first time.
func (t *Timer) begin(d time.Duration) {
	rt, s := t.wheel.rt, t.scope // which may be gone once it is armed
	if rt.phase.Load() != running {
		t.state.Store(timerStopped) // T5
		t.scope = nil               // it is in no list
		t.fail(closedTimer)
		return
	}
	switch {
	case rt.deterministic():
		rt.begunTimers++
		rt.timers.Store(t, rt.begunTimers)
	case s != nil:
		s.withMore().timers.add(t)
		s.enroll()
	}
	t.arm(d, timerNew)
	if s != nil && s.canceled() {
		t.end(newFailure(s.refusal()))
	}
}

// arm has the timer fire after d (T1, T2), if its state is from; otherwise it was stopped.
func (t *Timer) arm(d time.Duration, from uint32) {
	w := t.wheel
	if w.rt.deterministic() {
		if t.state.CompareAndSwap(from, timerSet) {
			t.virtual = w.rt.virtual.AfterFunc(d, t.tick)
		}
	} else {
		now := w.time.elapsed()
		t.when = now + min(int64(max(d, 0)), math.MaxInt64-now-1)
		if !w.add(t, from) && from == timerFired {
			t.target = nil
		}
	}
	if w.rt.phase.Load() != running {
		t.end(closedTimer)
	}
}

// fire is what the wheel's owner does with a timer that is due.
func (t *Timer) fire(s *worker) {
	if !t.state.CompareAndSwap(timerSet, timerFired) { // T3
		return
	}
	l := t.target
	if !t.repeats {
		t.target = nil
		t.forget()
	}
	l.vtable().late(s, l)
}

// tick is what the virtual clock calls.
func (t *Timer) tick() {
	rt := t.wheel.rt
	rt.firing.Add(1)
	defer rt.fired()
	t.fire(rt.detachedWorker())
}

// end stops the timer, and has it fail with why; one that has fired only if it repeats. It reports
// whether it did.
func (t *Timer) end(why *failure) bool {
	for {
		now := t.state.Load()
		if now == timerNew || now == timerStopped || now == timerFired && !t.repeats {
			return false
		}
		if !t.state.CompareAndSwap(now, timerStopped) { // T4
			continue
		}
		switch {
		case now == timerFired:
			t.forget()
			return true
		case now == timerSet && t.virtual != nil:
			t.wheel.rt.virtual.Stop(t.virtual)
		case now == timerSet:
			t.wheel.remove(t)
		}
		t.fail(why)
		return true
	}
}

// fail has a timer fail that the caller has stopped before it fired.
func (t *Timer) fail(why *failure) {
	l := t.target
	t.target = nil
	t.forget()
	if unsent := l.vtable().unsent; unsent != nil {
		unsent(l, why)
	}
}

// forget takes the timer off the registers.
func (t *Timer) forget() {
	if rt := t.wheel.rt; rt.deterministic() {
		rt.timers.Delete(t)
	} else if t.scope != nil {
		t.scope.withMore().timers.ended()
	}
	t.scope = nil
}

// endTimers fails all timers of the runtime but those that fire.
func (rt *Runtime) endTimers() {
	if rt.deterministic() {
		for _, t := range rt.openTimers(nil) {
			t.end(closedTimer)
		}
	}
	for i := range rt.wheels {
		if w := rt.wheels[i].Load(); w != nil && !rt.deterministic() {
			w.end()
		}
	}
}

// fired ends what counts as firing.
func (rt *Runtime) fired() {
	if rt.firing.Add(-1) == 0 && rt.phase.Load() != running {
		select {
		case rt.noneFires <- struct{}{}:
		default: // there is a notice already
		}
	}
}

// awaitFiring waits until no timer fires, or over is closed: one that logs waits for the logger, and
// the goroutine of any of them for a core. The end of the runtime only.
func (rt *Runtime) awaitFiring(over <-chan time.Time) {
	for rt.firing.Load() != 0 {
		select {
		case <-rt.noneFires:
		case <-over:
			return
		}
	}
}

// openTimers returns the timers of a deterministic runtime that have not ended, in the order in
// which they began; if s is not nil, those of that scope and of scopes below.
func (rt *Runtime) openTimers(s *Scope) (open []*Timer) {
	began := map[*Timer]uint64{}
	rt.timers.Range(func(key, nth any) bool {
		if t := key.(*Timer); s == nil || t.scope.isIn(s) {
			open = append(open, t)
			began[t] = nth.(uint64)
		}
		return true
	})
	slices.SortFunc(open, func(a, b *Timer) int { return cmp.Compare(began[a], began[b]) })
	return open
}
