package activity

import (
	"context"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Source:     C. Hoare, Monitors, 1974, as signal and continue (B. Lampson and D. Redell,
//             Experience with processes and monitors in Mesa, 1980). Ours: the finalizer of the
//             wait (see stack.go) unlocks the lock, after the waiter has entered the queue; a
//             signal for a waiter that gave up goes to the next one
// Sketch:     Wait:   enter the queue; unlock L; wait; lock L
//             Signal: signals += 1; serve the queue
//             admit:  take signals; for each: pop, grant; drop what is left when the queue is empty
// Invariants: I1 a waiter is in the queue before L is unlocked. So a signal by a goroutine that
//             has locked L since finds the waiter.
//             I2 signals are taken before the queue is looked at. So each wakes a waiter that
//             entered before the signal, if one waits.
// Progress:   Signal and Broadcast are lock-free (see waitQueue); Wait waits
// Cost:       Signal one atomic addition, and serving; Wait two switches, an allocation, and the
//             lock
// Checked by: TestCond…, TestExploreCond…

// Cond is where goroutines wait for changes of data that they share under the lock L. Prefer a
// [Monitor], which needs no signals. A goroutine that is woken checks its condition again: another
// one may have locked L first, and the signal may have been for an earlier waiter.
//
// Activities and ordinary goroutines may call its methods. It is ready once L is set. L must not
// be changed, and a Cond must not be copied, after first use.
type Cond struct {
	L Locker

	queue   waitQueue
	signals atomics.Int64 // that no waiter was woken for yet
}

// everybody is more signals than there are waiters.
const everybody = 1 << 60

// NewCond returns a Cond with the lock l. It panics if l is nil.
func NewCond(l Locker) *Cond {
	if l == nil {
		panic("activity: NewCond without a lock")
	}
	return &Cond{L: l}
}

// Wait unlocks L, waits until it is signaled, and locks L again. It returns nil if it was signaled;
// otherwise the error says why it stopped waiting (see the package's documentation). L is locked in
// either case, whatever was canceled. If the activity is ended in Wait, L is locked again before
// the caller's deferred functions run. Waiters are woken in the order of arrival; if several are
// woken at once, the scheduler decides which runs first. The caller must hold L. Wait panics if ctx
// or L is nil, or if L is a lock of this package that is not locked.
func (c *Cond) Wait(ctx context.Context) (err error) {
	if ctx == nil {
		panic("activity: Wait of a Cond with a nil context")
	}
	if c.L == nil {
		panic("activity: Wait of a Cond without a lock; make it with NewCond, or set L")
	}
	if l, ok := c.L.(interface{ isLocked() bool }); ok && !l.isLocked() {
		panic("activity: Wait of a Cond whose L is not locked")
	}
	if _, err := current(); err != nil {
		return err
	}
	defer func() { // deferred: also if the caller's goroutine is being ended
		if again := c.L.Lock(firm); again != nil {
			err = again
		}
	}()
	w := condWait{c: c}
	return w.wait(ctx)
}

// Signal wakes the waiter that has waited longest, if there is one. The caller need not hold L. It
// does not wait.
func (c *Cond) Signal() {
	c.signals.Add(1)
	c.queue.serve(c)
}

// Broadcast wakes all waiters. The caller need not hold L. It does not wait.
func (c *Cond) Broadcast() {
	c.signals.Store(everybody)
	c.queue.serve(c)
}

func (c *Cond) enter(w *Waiter) {
	c.queue.enter(w, c)
}

func (c *Cond) admit(l *waitQueue) {
	n := c.signals.Swap(0)
	if n == 0 {
		return
	}
	l.collect()
	// Waiters that arrive from now on are not meant. One of them may still be woken in place of one
	// that gave up and was counted in size: it checks its condition again, as after any wake-up.
	for n = min(n, int64(l.size.Load())); n > 0; {
		w := l.head()
		if w == nil {
			return
		}
		l.pop()
		if w.Grant() {
			n--
		}
	}
}

// condWait is the wait point of one call of Wait. Its enter unlocks L once the waiter is in the
// queue; for an activity, the finalizer calls it. If the caller gives up before that, it unlocks L
// itself: the first of the two to set unlocked does it.
type condWait struct {
	c        *Cond
	unlocked atomics.Bool
}

func (w *condWait) wait(ctx context.Context) error {
	signaled := false
	defer func() {
		if !signaled {
			w.unlock()
		}
	}()
	err := w.c.queue.wait(ctx, 0, w)
	signaled = err == nil
	return err
}

func (w *condWait) enter(waiter *Waiter) {
	w.c.enter(waiter)
	w.unlock()
}

func (w *condWait) admit(l *waitQueue) { w.c.admit(l) }

func (w *condWait) unlock() {
	if !w.unlocked.Swap(true) {
		w.c.L.Unlock()
	}
}
