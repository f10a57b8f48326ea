package activity

import (
	"context"
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Source:     C. Hoare, Monitors, 1974, as signal and continue (B. Lampson and D. Redell, Experience with processes and monitors in Mesa, 1980). Ours: the lock is unlocked by the
//             finalizer, after the waiter has entered the line; a signal that came to one who gave up goes to the next
// Sketch:     Wait:      enter the line; unlock L; wait; lock L
//             Signal:    signals += 1; serve the line
//             admit:     take signals; for each: pop, grant; drop what is left when nobody is in the line
// Invariants: I1 who waits is in the line before L is unlocked; so who signals after it has locked L finds it. I2 signals are taken before the line is looked at: so each
//             wakes one who entered before it, if one waits.
// Progress:   Signal and Broadcast are lock-free (see line); Wait waits
// Cost:       Signal one atomic addition, and serving; Wait two switches, an allocation, and the lock
// Checked by: TestCond…, TestExploreCond…

// Cond is where those wait for each other's doings who share data under the lock L. Prefer a [Monitor], where nothing can be forgotten to be signaled. Whoever
// is woken checks its condition again: another one may have come first, and the wake-up may have been for one who began to wait before.
//
// Activities and ordinary goroutines may call its methods. It is ready once L is set, which must not be changed, and must not be copied after first use.
type Cond struct {
	L Locker

	queue   waitQueue
	signals atomics.Int64 // that nobody was woken for yet
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

// Wait unlocks L, waits until it is signaled, and locks L again; so L is locked when it returns. It returns nil if it was signaled; otherwise the error
// says why it did not wait any longer (see the package's documentation). Locking L again is not given up, whatever was canceled, and an activity that is ended here has
// locked L, too, when its deferred functions run. Those who wait are woken in the order in
// which they came; when several are woken at once, who runs first is the scheduler's choice. The
// caller must hold L; it panics if L is nil, or one of this package and unlocked.
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
	defer func() { // also if the caller's goroutine is being ended
		if again := c.L.Lock(firm); again != nil {
			err = again
		}
	}()
	w := condWait{c: c}
	return w.wait(ctx)
}

// Signal wakes one who waits, if there is one. The caller need not hold L. It does not wait.
func (c *Cond) Signal() {
	c.signals.Add(1)
	c.queue.serve(c)
}

// Broadcast wakes all who wait. The caller need not hold L. It does not wait.
func (c *Cond) Broadcast() {
	c.signals.Store(everybody)
	c.queue.serve(c)
}

func (c *Cond) enter(w *Waiter) {
	c.queue.join(w)
	c.queue.serve(c)
}

func (c *Cond) admit(l *waitQueue) {
	n := c.signals.Swap(0)
	if n == 0 {
		return
	}
	l.collect()
	for n = min(n, int64(l.size.Load())); n > 0; { // those who come meanwhile are not meant
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

// waits is the keeper of the line for one call of Wait: the Cond, which unlocks L once the waiter has entered. Whoever changes unlocked unlocks: the
// finalizer, or one that has given up before.
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
