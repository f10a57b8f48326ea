package lock

import (
	"context"
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
	"github.com/freerun-go/freerun/internal/sync/park"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/internal/sys/yield"
)

// Source:     test-and-test-and-set with exponential back-off: L. Rudolph and Z. Segall, ISCA 1984; T. Anderson, IEEE TPDS 1990.
//             How sleepers are woken is U. Drepper, Futexes are tricky, 2004, the third mutex. Ours: who has waited for long enough
//             goes into a line, of which the first sleeps at the lock and the others behind it.
// Sketch:     word: free, locked, contended (locked, and somebody may sleep)
//             Lock:   spin with back-off: while the word is free, CAS(word: free→locked)
//                     then in the line, once first: until swap(word, contended) is free: sleep
//             Unlock: swap(word, free); if it was contended, wake the one who sleeps
// Invariants: I1 while the first of the line sleeps, the word is contended, or a token for it is left or about to be. I2 one at a
//             time is first: who has the line.
// Progress:   TryLock and Unlock are wait-free. Leaving is wait-free. A holder that stalls holds up all. NOT fair: who comes may get the
//             lock before those who sleep, any number of times.
// Linearize:  Lock at L1 or L2; TryLock at L1, or where it loads the word; Unlock at L3
// Publish:    what a critical section wrote is written before its L3 and read after the next L1 or L2; parker is written before the first
//             L2, and read after the L3 that finds the word contended
// ABA/memory: the word alone is compared. A token that nobody waits for any more wakes the next sleeper once for nothing.
// Cost:       2 read-modify-writes of an integer for Lock and Unlock if nobody waits, and no allocation. Who sleeps pays for
//             a wait of a FIFO and three atomic writes more.
// Checked by: TestLock…, TestExploreLock…, TestExploreLeave…

// Backoff is a mutual exclusion lock that anybody may take the moment it is free: no line, no order, no handing over. Who finds it locked
// tries again after ever longer pauses, and parks in the end. Any goroutine may call its methods; like a [sync.Mutex], a lock
// may be unlocked by another goroutine than locked it, and must not be locked again by its holder.
//
// The zero value is unlocked. It must not be copied after first use. It has 360 bytes, mostly padding.
type Backoff struct {
	_        pad.Line
	word     atomics.Uint32
	parker   atomics.Plain[*park.Parker] // of the first in the line
	sleepers fifo                        // those who do not spin any more
	_        pad.Line
}

const (
	free      = iota
	locked    // and nobody sleeps
	contended // locked, and somebody may sleep
)

// Lock locks l. It waits while l is locked, awake for some microseconds, then parked; others may come and go meanwhile.
func (l *Backoff) Lock() {
	if !l.word.CompareAndSwap(free, locked) { // L1
		_ = l.wait(forever)
	}
}

// TryLock locks l if it is free, and reports whether it did. It never waits.
func (l *Backoff) TryLock() bool {
	return l.word.Load() == free && l.word.CompareAndSwap(free, locked) // L1
}

// LockContext is Lock until ctx ends: then it returns [context.Cause]. It returns nil exactly if it has locked l. If ctx has ended
// already, it does not try.
func (l *Backoff) LockContext(ctx context.Context) error {
	if ended(ctx) {
		return context.Cause(ctx)
	}
	if l.TryLock() {
		return nil
	}
	return l.wait(ctx)
}

// Unlock unlocks l, for whoever comes first. It panics if l is not locked.
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
