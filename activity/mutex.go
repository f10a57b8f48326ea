package activity

import (
	"context"
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
)

// Source:     barging, waking one at a time, and a hand-over for those who were woken in vain are those of Go's sync.Mutex (D. Vyukov, 2015). Ours: who waits
//             longest is told by how often it was woken in vain, not by the clock, so that the explorer can follow; cancellation; the line
// Sketch:     Lock:    CAS(state: 0→locked)
//                      else: spin a little, if nobody waits; wait in the line; woken: spin, CAS(state: +locked -awake); failed: wait again, in front
//                      failed often: wait in front, with a tag that says so; granted: it is locked, and mine
//             Unlock:  CAS(state: locked→0)
//                      else: state -= locked; serve the line, if it has waiters and none is awake, or one is due
//             admit:   set waited and due by the head of the line; pop, claim; wake it after
//                      state += awake, if it was unlocked and none awake; or after state += locked, if it was unlocked and due
// Invariants: I1 while waited is not set, who has entered the line is about to serve it. I2 when locked is cleared while others wait, the line is served, or one is
//             awake, who will take the lock, or wait again and serve the line. I3 while due is set nobody takes the lock but who serves, for the head. I4 waited and
//             due are written by who serves only. NOT invariant: that at most one is awake (one that gives up may clear the bit of another).
// Progress:   TryLock, and Unlock but for the line, are lock-free; Lock waits. See line.
// Linearize:  Lock at L1 or L2, or, if handed over, at L3; Unlock at L4
// Publish:    what a holder wrote is written before L4, and read after L1, L2, or the grant that follows L3
// Cost:       Lock one CAS, Unlock one CAS. A wait: two switches, and some 10 atomic writes; no allocation but the first time for the line
// Checked by: TestMutex…, TestExploreMutex…

// Mutex is a mutual exclusion lock that gives the lock to whoever is there: so one that runs need not wait for another to be woken, and short sections
// are cheap however many contend. Those who wait are woken in the order in which they came, one at a time, when the lock is unlocked; one that was woken in vain
// [Mutex] patience times is handed the lock by the next Unlock. So nobody starves: each is overtaken only while it, or one before it, is on its way.
//
// Activities and ordinary goroutines may call its methods, and one may unlock what another has locked. The zero value is unlocked. It must not be copied after first
// use. It has 16 bytes, and 40 more once somebody has waited.
type Mutex struct {
	state atomics.Uint32
	queue lazyWaitQueue
}

const (
	locked    uint32 = 1 << iota
	contended        // somebody is in the line
	woken            // one was woken, and has not come yet
	starving         // the head of the line is handed the lock
)

// Lock locks m. It waits while m is locked; awake for about a microsecond if nobody waits yet. It returns nil exactly if it has locked m; otherwise the
// error says why it did not wait any longer (see the package's documentation). A call that need not wait does not look at ctx.
func (m *Mutex) Lock(ctx context.Context) error {
	if m.state.Load() == 0 && m.state.CompareAndSwap(0, locked) { // L1; one that fails costs as much as one that does not
		return nil
	}
	return m.lock(ctx)
}

// TryLock locks m if it is unlocked and nobody is about to be handed it, and reports whether it did. It never waits.
func (m *Mutex) TryLock() bool { return m.take(0) }

// Unlock unlocks m. It panics if m is not locked. It does not wait.
func (m *Mutex) Unlock() {
	if m.state.Load() != locked || !m.state.CompareAndSwap(locked, 0) { // L4
		m.unlock()
	}
}

// take locks m if it may be taken, and clears a bit.
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

// spin is take for a while.
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
		if tag != 0 && !mine { // it was awake
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
	l := m.queue.get()
	l.join(w)
	if w.Tag != 0 {
		m.state.And(^woken)
	}
	l.serve(m)
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
