package activity

import "context"

// FairMutex is a mutual exclusion lock that is handed over in the order of arrival: no waiter is
// ever overtaken. The price is that the lock stands still until the next holder runs, a switch at
// least. [Mutex] is many times faster where sections are short and many goroutines contend.
//
// Activities and ordinary goroutines may call its methods, and one may unlock what another has
// locked. The zero value is unlocked. It must not be copied after first use. It has 16 bytes, and
// 40 more after the first wait. It is a counter that is held whole.
type FairMutex struct{ q counter }

const heldWhole = whole * one

// Lock locks m. It waits while m is locked, behind all earlier waiters. It returns nil exactly if
// it has locked m; otherwise the error says why it stopped waiting (see the package's
// documentation). A call that need not wait does not look at ctx.
func (m *FairMutex) Lock(ctx context.Context) error {
	if m.q.state.CompareAndSwap(0, heldWhole) {
		return nil
	}
	return m.q.take(ctx, whole)
}

// TryLock locks m if it is unlocked and has no waiters, and reports whether it did. It never
// waits.
func (m *FairMutex) TryLock() bool { return m.q.tryTake(whole) }

// Unlock unlocks m, or hands it to the waiter that has waited longest. It panics if m is not
// locked. It does not wait.
func (m *FairMutex) Unlock() {
	if !m.q.state.CompareAndSwap(heldWhole, 0) {
		m.unlock()
	}
}

func (m *FairMutex) unlock() {
	if !m.q.tryGive(whole, 0, whole) {
		panic("activity: Unlock of an unlocked FairMutex")
	}
}

func (m *FairMutex) isLocked() bool { return used(m.q.state.Load()) == whole }
