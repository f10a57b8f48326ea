package lock

import (
	"context"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
	"github.com/freerun-go/freerun/internal/sync/park"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/internal/sys/yield"
)

// Source:     test-and-test-and-set with exponential back-off: L. Rudolph and Z. Segall, ISCA
//             1984; T. Anderson, IEEE TPDS 1990. Sleepers are woken as in U. Drepper, Futexes are
//             tricky, 2004, the third mutex. Ours: a goroutine that has spun for long enough goes
//             into a FIFO, whose holder sleeps at the lock, with the others behind it.
// Sketch:     word: free, locked, contended (locked, and a goroutine may sleep)
//             Lock:   spin with back-off: while the word is free, CAS(word: free→locked)
//                     then, as the holder of sleepers: while swap(word, contended) is not free,
//                     sleep
//             Unlock: swap(word, free); if it was contended, wake the sleeper
// Invariants: I1 while the holder of sleepers sleeps, the word is contended, or its parker has a
//             token, or an Unlock is about to leave one.
//             I2 one goroutine at a time sleeps at the lock: the holder of sleepers.
// Progress:   TryLock and Unlock are wait-free, and so is giving up (LockContext). A holder that
//             stalls delays all. NOT fair: a newcomer may get the lock before the sleepers, any
//             number of times.
// Linearize:  Lock at L1 or L2; TryLock at L1, or where it loads the word; Unlock at L3
// Publish:    the writes of a critical section come before its L3, the reads of the next one after
//             its L1 or L2; parker is written before the first L2, and read after the L3 that finds
//             the word contended
// ABA/memory: only the word is compared. A token whose receiver has left wakes the next sleeper
//             once in vain.
// Cost:       2 read-modify-writes of an integer for Lock and Unlock without waiters, and no
//             allocation. A sleep costs a wait of a FIFO and three atomic writes more.
// Checked by: TestLock…, TestExploreLock…, TestExploreLeave…

// Backoff is a mutual exclusion lock that any goroutine may take the moment it is free: it is not
// handed over, and there is no order. A goroutine that finds it locked tries again after ever
// longer pauses, and parks in the end. Any goroutine may call its methods. Like a [sync.Mutex], it
// may be unlocked by another goroutine than the one that locked it, and its holder must not lock it
// again.
//
// The zero value is unlocked. It must not be copied after first use. It has 360 bytes, mostly
// padding.
type Backoff struct {
	_        pad.Line
	word     atomics.Uint32
	parker   atomics.Plain[*park.Parker] // of the holder of sleepers
	sleepers fifo                        // the goroutines that do not spin any more
	_        pad.Line
}

const (
	free      = iota
	locked    // Unlock need wake no goroutine
	contended // locked, and Unlock wakes the holder of sleepers, which may sleep
)

// Lock locks l. It waits while l is locked: it spins for some microseconds and then parks. Other
// goroutines may lock and unlock it meanwhile.
func (l *Backoff) Lock() {
	if !l.word.CompareAndSwap(free, locked) { // L1
		_ = l.wait(forever)
	}
}

// TryLock locks l if it is free, and reports whether it did. It never waits.
func (l *Backoff) TryLock() bool {
	return l.word.Load() == free && l.word.CompareAndSwap(free, locked) // L1
}

// LockContext is Lock until ctx ends: then it returns [context.Cause]. It returns nil exactly if
// it has locked l. If ctx has ended already, it does not try.
func (l *Backoff) LockContext(ctx context.Context) error {
	if ended(ctx) {
		return context.Cause(ctx)
	}
	if l.TryLock() {
		return nil
	}
	return l.wait(ctx)
}

// Unlock unlocks l; the next goroutine that tries gets it. It panics if l is not locked. It does
// not wait.
func (l *Backoff) Unlock() {
	switch l.word.Swap(free) { // L3
	case free:
		panic("lock: Unlock of a Backoff that is not locked")
	case contended:
		l.parker.Get().Unpark()
	}
}

func (l *Backoff) wait(ctx context.Context) error {
	for b := (backoff.Backoff{}); !b.Spent(); b.Wait() {
		if l.TryLock() {
			return nil
		}
	}
	yield.Local() // the holder may wait for this very processor
	if l.TryLock() {
		return nil
	}
	if ctx == forever {
		l.sleepers.lock()
	} else if err := l.sleepers.lockContext(ctx); err != nil {
		return err
	}
	defer l.sleepers.unlock()
	parker := l.parker.Get()
	if parker == nil {
		parker = park.New()
		l.parker.Set(parker)
	}
	for l.word.Swap(contended) != free { // L2
		if err := sleep(parker, ctx); err != nil {
			return err
		}
	}
	return nil
}
