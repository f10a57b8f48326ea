package activity

import (
	"context"
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/goid"
)

// Source:     C. Hoare, Monitors, 1974, in the form of Active Oberon (J. Gutknecht, Do the fish really need remote control?, 1997): one awaits a condition, not a signal;
//             who leaves evaluates the conditions of those who await, and hands over. Ours: cancellation; a condition that panics does so where it is awaited
// Sketch:     Enter: take the quota whole
//             Leave: evaluate, oldest first: the first who awaits what holds gets the monitor; nobody: give the quota back, to the next who wants to enter
//             Await: the condition holds: go on;  else stand behind those who await, and leave;  given up: enter again
// Invariants: I1 who is inside holds the quota, and is the only one to touch awaiting and failed. I2 when the monitor is given back to the quota no condition
//             holds of those who await. I3 who was handed the monitor finds its condition to hold: nobody was inside in between.
//             I4 Await returns, or unwinds, inside: it was handed the monitor, or has entered anew.
// Progress:   TryEnter is lock-free; Leave takes as long as the conditions do; Enter and Await wait
// Linearize:  Enter and Leave as the quota; a hand-over where the waiter is claimed
// ABA/memory: one who gave up is dropped by the next who leaves; and who awaits leaves
// Cost:       Enter and Leave a CAS each. Await, if it waits: two switches, an allocation, and an evaluation at each Leave
// Checked by: TestMonitor…, TestExploreMonitor…

// Monitor guards data that one at a time uses: who is inside. Inside one can await a condition on the data; the others go on meanwhile, and when one of them leaves
// and the condition holds, it hands over the monitor. So there is nothing to signal, and nothing to check again. Those who await go before those who want
// to enter, the one who has awaited longest first; those who want to enter come in in the order of asking. So nobody who wants to enter starves unless those who
// await keep handing the monitor to each other.
//
// Conditions are evaluated inside, by whoever leaves, or, on behalf of an activity, by the processor that has left it: they must be short, depend on the data
// alone, and neither wait nor call methods of the monitor, nor [runtime.Goexit]. One that panics does so in the Await that it was passed to.
//
// Activities and ordinary goroutines may call its methods; who has entered leaves. The zero value has nobody inside. It must not be copied after first use.
type Monitor struct {
	q      counter              // who is inside holds it whole
	inside atomics.RelaxedIndex // whose goroutine is; written by who holds q

	// who is inside
	awaiting []conditionWaiter // oldest first
	failed   bool              // the condition of the one that is handed the monitor has panicked
}

// awaiter is one who awaits a condition.
type conditionWaiter struct {
	waiter    *Waiter
	condition func() bool
}

// Enter enters m. It waits while somebody is inside, or others wait, behind them. It returns nil exactly if the caller is inside; otherwise the error says why it
// did not wait any longer (see the package's documentation). A call that need not wait does not look at ctx. Who is inside must not enter again.
func (m *Monitor) Enter(ctx context.Context) error {
	if err := m.q.take(ctx, whole); err != nil {
		return err
	}
	m.inside.Store(goid.ID())
	return nil
}

// TryEnter enters m if nobody is inside and nobody waits, and reports whether it did. It never waits.
func (m *Monitor) TryEnter() bool {
	if !m.q.tryTake(whole) {
		return false
	}
	m.inside.Store(goid.ID())
	return true
}

// Leave leaves m: for the first who awaits a condition that holds now, or for the first who wants
// to enter. It panics if the caller is not inside, unless that is an activity that is being ended:
// then it does nothing. It does not wait.
func (m *Monitor) Leave() {
	if !m.isInside() {
		if isUnwinding() { // it was ended where it had left, and had deferred this
			return
		}
		panic("activity: Leave of a Monitor by one who is not inside")
	}
	m.pass()
}

func (m *Monitor) isInside() bool { return m.inside.Load() == goid.ID() }

// Do calls f inside m, and returns what it returns; the error of Enter, if it could not. It leaves
// m also if f panics. It panics if f is nil.
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

// Await waits inside until condition holds; others are inside meanwhile. The caller is inside when it returns: with nil, and the condition holds; or with an error
// that says why it did not wait any longer (see the package's documentation): then it may have waited to come inside again, whatever was canceled. An
// activity that is ended here is inside, too, when its deferred functions run. It panics if the
// caller is not inside, or condition is nil.
func (m *Monitor) Await(ctx context.Context, condition func() bool) error {
	if ctx == nil || condition == nil {
		panic("activity: Await of a Monitor with a nil context, or condition")
	}
	if !m.isInside() {
		panic("activity: Await of a Monitor by one who is not inside")
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
		m.failed = false // if the condition panics again, it does so here
	}
	return nil
}

// awaits is the place of one who awaits. Whoever changes left has the monitor to pass on: the finalizer, or one that has given up before.
type monitorWait struct {
	m         *Monitor
	condition func() bool
	left      atomics.Bool
	handed    bool // to the one who awaits; that one's own
}

// wait returns when the monitor was handed over, or with an error, or ends the caller's goroutine: in any case the caller is inside.
func (w *monitorWait) wait(ctx context.Context) error {
	defer w.comeBack()
	err := waitIn(ctx, 0, w)
	w.handed = err == nil
	return err
}

// comeBack has the caller inside again. One who gives up may run while its finalizer is about to pass the monitor on, or does so: it enters as one from outside
// does, behind that.
func (w *monitorWait) comeBack() {
	if !w.handed {
		w.leave()
		_ = w.m.q.take(firm, whole) // never in vain: a firm wait
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

// pass hands the monitor to the first whose condition holds, or gives it back.
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

// holds evaluates a condition for who awaits it; one that panics is its own to deal with.
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
