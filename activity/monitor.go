package activity

import (
	"context"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/goid"
)

// Source:     C. Hoare, Monitors, 1974, in the form of Active Oberon (J. Gutknecht, Do the fish
//             really need remote control?, 1997): a goroutine awaits a condition, not a signal; a
//             goroutine that leaves evaluates the conditions that are awaited, and hands over.
//             Ours: cancellation; a panic in a condition comes out of the Await that the condition
//             was passed to
// Sketch:     Enter: take the counter whole
//             Leave: evaluate, oldest first: the first whose condition holds gets the monitor
//                    none: give the counter back, to the next that wants to enter
//             Await: the condition holds: go on;  else enter awaiting, and leave
//                    given up: enter the monitor again
// Invariants: I1 only the goroutine inside, or the finalizer of its Await, touches awaiting and
//             failed; the counter is held whole meanwhile.
//             I2 when the monitor is given back to the counter no awaited condition holds.
//             I3 an awaiter that was handed the monitor finds its condition to hold: no goroutine
//             was inside in between.
//             I4 Await returns, or unwinds, inside: it was handed the monitor, or has entered
//             anew.
// Progress:   TryEnter is lock-free; Leave takes as long as the conditions do; Enter and Await
//             wait
// Linearize:  Enter and Leave as the counter; a hand-over where the waiter is claimed
// ABA/memory: an awaiter that gave up is dropped by the next Leave; and each Await that waits
//             leaves
// Cost:       Enter and Leave a CAS each. Await, if it waits: two switches, an allocation, and an
//             evaluation at each Leave
// Checked by: TestMonitor…, TestExploreMonitor…

// Monitor guards data: one goroutine at a time is inside and may use them. Inside, [Monitor.Await]
// waits for a condition on the data; other goroutines may enter meanwhile. When a goroutine leaves
// and an awaited condition holds, it hands the monitor over. So there are no signals, and no
// conditions to check again. Awaiters whose condition holds go first, the oldest before the others;
// then the callers of Enter, in the order of arrival. Callers of Enter starve only if awaiters keep
// handing the monitor to each other.
//
// Conditions are evaluated while the monitor is held: first by the goroutine that calls Await, then
// by each goroutine that leaves. For an activity that leaves by Await, its processor evaluates
// them. They must be short and depend on the data alone. They must not wait, call methods of the
// monitor, or call [runtime.Goexit]. A condition that panics does so in the Await that it was
// passed to.
//
// Activities and ordinary goroutines may call its methods; the goroutine that has entered must be
// the one that leaves. The zero value has no goroutine inside. It must not be copied after first
// use.
type Monitor struct {
	q counter // held whole by the goroutine inside
	// inside is the identity of the goroutine inside, or 0. The holder of q writes it.
	inside atomics.RelaxedIndex

	// of the goroutine inside
	awaiting []conditionWaiter // oldest first
	failed   bool              // the condition that was found to hold has panicked
}

// conditionWaiter is a waiter and the condition that it awaits.
type conditionWaiter struct {
	waiter    *Waiter
	condition func() bool
}

// Enter enters m. It waits while another goroutine is inside, behind all earlier waiters. It
// returns nil exactly if the caller is inside; otherwise the error says why it stopped waiting
// (see the package's documentation). A call that need not wait does not look at ctx. A goroutine
// inside must not enter again.
func (m *Monitor) Enter(ctx context.Context) error {
	if err := m.q.take(ctx, whole); err != nil {
		return err
	}
	m.inside.Store(goid.ID())
	return nil
}

// TryEnter enters m if no goroutine is inside and none waits, and reports whether it did. It never
// waits.
func (m *Monitor) TryEnter() bool {
	if !m.q.tryTake(whole) {
		return false
	}
	m.inside.Store(goid.ID())
	return true
}

// Leave leaves m, and hands it to the first awaiter whose condition holds now, or to the first
// waiter that wants to enter. It panics if the caller is not inside, except that it has no effect
// in an activity that is being ended. It does not wait.
func (m *Monitor) Leave() {
	if !m.isInside() {
		if isUnwinding() { // Await has ended it outside, and this call was deferred
			return
		}
		panic("activity: Leave of a Monitor by a goroutine that is not inside")
	}
	m.pass()
}

func (m *Monitor) isInside() bool { return m.inside.Load() == goid.ID() }

// Do calls f inside m and returns what f returns, or the error of Enter. It leaves m also if f
// panics. It panics if f is nil.
func (m *Monitor) Do(ctx context.Context, f func() error) error {
	if f == nil {
		panic("activity: Do of a Monitor with a nil function")
	}
	if err := m.Enter(ctx); err != nil {
		return err
	}
	defer m.Leave()
	return f()
}

// Await waits until condition holds; other goroutines are inside meanwhile. When it returns, the
// caller is inside. It returns nil if the condition holds; otherwise the error says why it stopped
// waiting (see the package's documentation), and before that it waits until it is inside again; no
// cancellation ends this wait. An activity that is ended in Await is inside, too, when its deferred
// functions run. Await panics if the caller is not inside, or if ctx or condition is nil.
func (m *Monitor) Await(ctx context.Context, condition func() bool) error {
	if ctx == nil || condition == nil {
		panic("activity: Await of a Monitor with a nil context, or condition")
	}
	if !m.isInside() {
		panic("activity: Await of a Monitor by a goroutine that is not inside")
	}
	for !condition() {
		if _, err := current(); err != nil {
			return err
		}
		w := monitorWait{m: m, condition: condition}
		if err := w.wait(ctx); err != nil {
			return err
		}
		if !m.failed {
			return nil
		}
		m.failed = false // evaluated again above: if the condition panics again, it does so here
	}
	return nil
}

// monitorWait is the wait point of one call of Await. Its enter, which the finalizer calls, passes
// the monitor on. If the caller gives up before that, it passes the monitor on itself: the first of
// the two to set left does it.
type monitorWait struct {
	m         *Monitor
	condition func() bool
	left      atomics.Bool
	handed    bool // the awaiter has been handed the monitor; written by the awaiter
}

// wait returns nil when the monitor was handed over, and an error otherwise; or it ends the
// caller's goroutine. The caller is inside in each case.
func (w *monitorWait) wait(ctx context.Context) error {
	defer w.comeBack()
	err := waitIn(ctx, 0, w)
	w.handed = err == nil
	return err
}

// comeBack returns when the caller is inside again. A caller that gave up enters again like any
// other, even if its finalizer is still about to pass the monitor on.
func (w *monitorWait) comeBack() {
	if !w.handed {
		w.leave()
		_ = w.m.q.take(firm, whole) // never fails: a firm wait
	}
	w.m.inside.Store(goid.ID())
}

func (w *monitorWait) enter(waiter *Waiter) {
	if !w.left.Swap(true) {
		w.m.awaiting = append(w.m.awaiting, conditionWaiter{waiter, w.condition})
		w.m.pass()
	}
}

// leave passes the monitor on, unless that was done, or is about to be.
func (w *monitorWait) leave() {
	if !w.left.Swap(true) {
		w.m.pass()
	}
}

// pass hands the monitor to the first awaiter whose condition holds, or else gives it back to the
// counter.
func (m *Monitor) pass() {
	m.inside.Store(0)
	left := m.awaiting[:0]
	for i, a := range m.awaiting {
		if a.waiter.isOver() {
			continue
		}
		if m.holds(a.condition) && a.waiter.claim() {
			left = append(left, m.awaiting[i+1:]...)
			clear(m.awaiting[len(left):])
			m.awaiting = left
			a.waiter.wake()
			return
		}
		m.failed = false
		left = append(left, a)
	}
	clear(m.awaiting[len(left):])
	m.awaiting = left
	m.q.tryGive(whole, 0, whole)
}

// holds evaluates a condition on behalf of the caller that awaits it. If the condition panics it
// returns true, so that the caller wakes, evaluates it, and gets the panic.
func (m *Monitor) holds(condition func() bool) (holds bool) {
	evaluated := false
	defer func() {
		if !evaluated && recover() != nil {
			m.failed, holds = true, true
		}
	}()
	holds = condition()
	evaluated = true
	return holds
}
