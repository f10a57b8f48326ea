package activity

import (
	"context"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
)

// Source:     barging, waking one waiter at a time, and handing over to a waiter that was woken in
//             vain are those of Go's sync.Mutex (D. Vyukov, 2015). Ours: how often a waiter was
//             woken in vain decides, not the clock, so that the explorer can follow; cancellation;
//             the queue
// Sketch:     Lock:   CAS(state: 0→locked)
//                     else: spin a little, if no waiter is there; wait in the queue
//                     woken: spin, CAS(state: +locked -woken); failed: wait again, in front
//                     failed often: wait in front with a tag that says so; granted: it is locked
//             Unlock: CAS(state: locked→0)
//                     else: state -= locked; serve the queue, if it has waiters and none is woken,
//                     or if one is starving
//             admit:  set contended and starving by the head of the queue; pop, claim; wake after
//                     state += woken, if unlocked and none is woken
//                     or after state += locked, if unlocked and starving
// Invariants: I1 while contended is not set, a waiter that has entered the queue is about to serve
//             it.
//             I2 when locked is cleared while there are waiters, the queue is served, or a waiter
//             is awake; that waiter takes the lock, or waits again and then serves the queue.
//             I3 while starving is set only the server of the queue takes the lock, for the head.
//             I4 contended and starving are written by the server only.
//             NOT invariant: that at most one waiter is woken (one that gives up may clear the bit
//             of another).
// Progress:   TryLock, and Unlock except for the queue, are lock-free; Lock waits. See waitQueue.
// Linearize:  Lock at L1 or L2, or, if handed over, at L3; Unlock at L4
// Publish:    what a holder wrote is written before L4, and read after L1, L2, or the grant that
//             follows L3
// Cost:       Lock one CAS, Unlock one CAS. A wait: two switches, and some 10 atomic writes; no
//             allocation but the first time for the queue
// Checked by: TestMutex…, TestExploreMutex…

// Mutex is a mutual exclusion lock that any running goroutine may take the moment it is free
// (barging). A running goroutine need not wait until another one is woken, so short sections are
// cheap however many goroutines contend. Unlock wakes the waiters in the order of arrival, one at a
// time. A waiter that was woken 4 times without getting the lock is handed it by the next Unlock
// (barging ends). So no waiter starves: a waiter is overtaken only while it, or one before it, is
// woken and does not have the lock yet.
//
// Activities and ordinary goroutines may call its methods, and one may unlock what another has
// locked. The zero value is unlocked. It must not be copied after first use. It has 16 bytes, and
// 40 more after the first wait.
type Mutex struct {
	state atomics.Uint32
	queue lazyWaitQueue
}

const (
	locked    uint32 = 1 << iota
	contended        // the queue is not empty
	woken            // a waiter was woken and has not tried yet
	starving         // the next Unlock hands the lock to the head of the queue
)

// Lock locks m. It waits while m is locked; it spins for about a microsecond if there are no
// waiters. It returns nil exactly if it has locked m; otherwise the error says why it stopped
// waiting (see the package's documentation). A call that need not wait does not look at ctx.
func (m *Mutex) Lock(ctx context.Context) error {
	// A CAS that fails costs as much as one that succeeds: look first.
	if m.state.Load() == 0 && m.state.CompareAndSwap(0, locked) { // L1
		return nil
	}
	return m.lock(ctx)
}

// TryLock locks m if it is unlocked and is not about to be handed to a waiter, and reports whether
// it did. It never waits.
func (m *Mutex) TryLock() bool { return m.take(0) }

// Unlock unlocks m. It panics if m is not locked. It does not wait.
func (m *Mutex) Unlock() {
	if m.state.Load() != locked || !m.state.CompareAndSwap(locked, 0) { // L4
		m.unlock()
	}
}

// take locks m and clears bit, unless m is locked or starving. It reports whether it did.
func (m *Mutex) take(bit uint32) bool {
	for {
		s := m.state.Load()
		if s&(locked|starving) != 0 {
			return false
		}
		if m.state.CompareAndSwap(s, s&^bit|locked) { // L2
			return true
		}
	}
}

// spin calls take for a while, and reports whether m was locked. It stops early if a waiter is
// starving.
func (m *Mutex) spin(bit uint32) bool {
	for b := (backoff.Backoff{}); ; b.Rest() {
		if m.take(bit) {
			return true
		}
		if b.Spent() || m.state.Load()&starving != 0 {
			return false
		}
	}
}

func (m *Mutex) lock(ctx context.Context) error {
	if m.take(0) || m.state.Load()&contended == 0 && m.spin(0) {
		return nil
	}
	l := m.queue.get()
	tag, mine := uint64(0), false
	defer func() {
		if tag != 0 && !mine { // it was woken
			m.state.And(^woken)
			l.serve(m)
		}
	}()
	for {
		if err := l.wait(ctx, tag, m); err != nil {
			return err
		}
		if tag == ahead|patience || m.spin(woken) {
			mine = true
			return nil
		}
		tag = (tag + 1) | ahead
	}
}

func (m *Mutex) enter(w *Waiter) {
	l, again := m.queue.get(), w.Tag != 0 // read before put: then w may be granted, and wait again
	serves := l.put(w)
	if again {
		m.state.And(^woken)
	}
	l.serveAs(serves, m)
}

func (m *Mutex) unlock() {
	for {
		s := m.state.Load()
		if s&locked == 0 {
			panic("activity: Unlock of an unlocked Mutex")
		}
		if m.state.CompareAndSwap(s, s&^locked) { // L4
			if s&starving != 0 || s&(contended|woken) == contended {
				m.queue.get().serve(m)
			}
			return
		}
	}
}

func (m *Mutex) admit(l *waitQueue) {
	for {
		w := l.head()
		s := m.state.Load()
		want := contended
		switch {
		case w == nil:
			want = 0
		case w.Tag == ahead|patience:
			want |= starving
		}
		if s&(contended|starving) != want {
			m.state.CompareAndSwap(s, s&^(contended|starving)|want)
			continue
		}
		bit := woken
		if want&starving != 0 {
			bit = locked
		}
		if w == nil || s&(locked|bit) != 0 {
			return
		}
		l.pop()
		if w.claim() {
			m.state.Or(bit) // L3
			w.wake()
		}
	}
}

func (m *Mutex) isLocked() bool { return m.state.Load()&locked != 0 }
