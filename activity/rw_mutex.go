package activity

import "context"

// RWMutex is a lock that is held by one writer, or by any number of readers. It admits in the
// order of arrival: readers do not overtake a writer that waits, and a writer waits only for those
// before it. So neither side starves; readers that follow one another are in at the same time.
//
// A reader must not lock it again for reading: a writer that came in between would wait for the
// reader, and the reader for the writer. Activities and ordinary goroutines may call its methods,
// and one may unlock what another has locked. The zero value is unlocked. It must not be copied
// after first use. It has 16 bytes, and 40 more after the first wait. It is a counter of which a
// reader holds one, and a writer the whole.
type RWMutex struct{ q counter }

// Lock locks m for writing. It waits while m is locked, behind all earlier waiters. It returns nil
// exactly if it has locked m; otherwise the error says why it stopped waiting (see the package's
// documentation). A call that need not wait does not look at ctx.
func (m *RWMutex) Lock(ctx context.Context) error { return m.q.take(ctx, whole) }

// TryLock locks m for writing if it is unlocked and has no waiters, and reports whether it did. It
// never waits.
func (m *RWMutex) TryLock() bool { return m.q.tryTake(whole) }

// Unlock unlocks m, and admits the waiters that have waited longest: a writer, or all readers up
// to the next writer. It panics if m is not locked for writing. It does not wait.
func (m *RWMutex) Unlock() {
	if !m.q.tryGive(whole, 0, whole) {
		panic("activity: Unlock of an RWMutex that is not locked for writing")
	}
}

// RLock locks m for reading. It waits while m is locked for writing, behind all earlier waiters.
// It returns nil exactly if it has locked m; otherwise the error says why it stopped waiting (see
// the package's documentation). A call that need not wait does not look at ctx.
func (m *RWMutex) RLock(ctx context.Context) error { return m.q.take(ctx, 1) }

// TryRLock locks m for reading if it is not locked for writing and has no waiters, and reports
// whether it did. It never waits.
func (m *RWMutex) TryRLock() bool { return m.q.tryTake(1) }

// RUnlock ends one RLock. It panics if m is not locked for reading. It does not wait.
func (m *RWMutex) RUnlock() {
	if !m.q.tryGive(1, 0, whole-1) {
		panic("activity: RUnlock of an RWMutex that is not locked for reading")
	}
}

func (m *RWMutex) isLocked() bool { return used(m.q.state.Load()) == whole }
