package lock

import (
	"context"
	"fmt"
	"math/bits"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// Source:     T. Anderson, The performance of spin lock alternatives for shared-memory
//             multiprocessors, IEEE TPDS 1990: tickets by fetch-and-add, and a slot for each.
//             Ours: a slot's word has the number of the ticket that it is for, so that no
//             goroutine gets a ticket whose slot is in use (with more waiters than slots, two
//             could hold the original at once); the ticket is taken by CAS; a waiter that leaves
//             marks its slot, and Unlock passes by; waiters park.
// Sketch:     slot i mod N:  [ i granted ] [ i+1 asleep ] [ i+2 left ] [ i+3 waiting ]
//             next = i+3: its slot is free
//             Lock:   t = next, while slot t is for ticket t: CAS(next: t→t+1)
//                     wait for slot t to be granted
//             Unlock: slot t is for t+N; grant slot t+1
//                     while that was left: it is for t+1+N, and so on with t+2
// Invariants: I1 a slot is for ticket t from when ticket t-N is through (unlocked, or passed by)
//             until t is through.
//             I2 one ticket is granted and not through, except in the middle of an Unlock. While
//             the lock is free that ticket is next, and no goroutine has it yet.
//             I3 tickets are granted in order.
// Progress:   TryLock is lock-free, and so is taking a ticket: a failed CAS means that another
//             goroutine has got one. Unlock is wait-free: it passes by each ticket that was left
//             once. Giving up (LockContext) is wait-free. A holder that stalls delays all, and so
//             does a waiter that stalls after its grant.
// Linearize:  the place in the queue at L1; the lock is locked there if the ticket was granted
//             already, else where it is granted; TryLock at L1, or where it loads the slot; Unlock
//             where the next ticket is granted; full where the slot is loaded at L2
// Publish:    the writes of a critical section come before the grant of the next ticket; the
//             ticket's holder reads them after it loads the slot's word
// ABA/memory: tickets count in 62 bits and do not come back. Slots are allocated once.
// Cost:       a CAS to lock, a store and a CAS to unlock; two more CAS to wait, parked. 144 bytes
//             a slot, and a channel with the first sleep at it; nothing is allocated afterwards.
// Checked by: TestLock…, TestAnderson…, TestRefusal, TestExploreLock…, TestExploreLeave…,
//             TestExploreTooManyForTheSlots

// Anderson is a mutual exclusion lock with a fixed number of places, for the holder and the
// waiters: first come, first served. Without a free place, TryLock and LockContext refuse, and Lock
// waits for one. Any goroutine may call its methods. Like a [sync.Mutex], it may be unlocked by
// another goroutine than the one that locked it, and its holder must not lock it again.
//
// [NewAnderson] makes it: the methods of the zero value panic. It must not be copied.
type Anderson struct {
	slots []andersonSlot // immutable
	mask  uint64         // immutable

	_    pad.Line
	next atomics.Uint64 // the next ticket
	_    pad.Line

	held     atomics.Plain[uint64] // the holder's ticket + 1; 0 while the lock is free
	overflow overflowQueue
	_        pad.Line
}

type andersonSlot struct {
	slot waitSlot
	_    pad.Line
}

// NewAnderson returns an unlocked lock with the given number of places, for the holder and the
// waiters, rounded up to a power of two. It panics if places is less than 1 or more than 1<<30.
func NewAnderson(places int) *Anderson {
	if places < 1 || places > 1<<30 {
		panic(fmt.Sprintf("lock: NewAnderson of %d places; there must be 1 to 1<<30", places))
	}
	n := uint64(1) << bits.Len(uint(places-1))
	l := &Anderson{slots: make([]andersonSlot, n), mask: n - 1}
	for t := range n {
		l.slots[t].slot.word.Store(t * slotStates)
	}
	l.slots[0].slot.grant(0)
	return l
}

// Lock locks l. It waits while l is locked, behind all earlier waiters: it parks; if only the
// holder is ahead, it first spins for some microseconds and yields once. While all places are taken
// it first waits for a place, also in the order of arrival.
func (l *Anderson) Lock() {
	if !l.overflow.occupied() {
		if t, ok := l.ticket(); ok {
			_ = l.wait(t, forever)
			return
		}
	}
	var mine uint64
	l.overflow.enter(func() (ok bool) {
		mine, ok = l.ticket()
		return ok
	})
	_ = l.wait(mine, forever)
}

// TryLock locks l if it is free, and reports whether it did. It never waits.
func (l *Anderson) TryLock() bool {
	for b := (backoff.Backoff{}); !l.overflow.occupied(); b.Retry() {
		t := l.next.Load()
		switch w := l.slot(t).word.Load(); {
		case w == t*slotStates+granted:
			if l.next.CompareAndSwap(t, t+1) { // L1
				l.held.Set(t + 1)
				return true
			}
		case w/slotStates <= t:
			return false
		}
	}
	return false
}

// LockContext is Lock with two ways to fail: it returns [ErrFull] if there is no place, and
// [context.Cause] if ctx ends before its turn. A caller that gives up keeps its place until its
// turn has come. It returns nil exactly if it has locked l. If ctx has ended already, it does not
// try.
func (l *Anderson) LockContext(ctx context.Context) error {
	if ended(ctx) {
		return context.Cause(ctx)
	}
	if l.overflow.occupied() {
		return ErrFull
	}
	t, ok := l.ticket()
	if !ok {
		return ErrFull
	}
	return l.wait(t, ctx)
}

// Unlock unlocks l, or hands it to the waiter that has waited longest. It panics if l is not
// locked. It does not wait.
func (l *Anderson) Unlock() {
	t := l.held.Take()
	if t == 0 {
		panic("lock: Unlock of an Anderson that is not locked")
	}
	t--
	l.slot(t).word.Store((t + l.mask + 1) * slotStates)
	for t++; !l.slot(t).grant(t * slotStates); t++ {
		l.slot(t).word.Store((t + l.mask + 1) * slotStates)
	}
	l.overflow.signal()
}

func (l *Anderson) slot(ticket uint64) *waitSlot {
	if l.slots == nil {
		panic("lock: use of an Anderson that NewAnderson did not make")
	}
	return &l.slots[ticket&l.mask].slot
}

// ticket returns the next ticket, or false if all slots are in use.
func (l *Anderson) ticket() (uint64, bool) {
	for b := (backoff.Backoff{}); ; b.Retry() {
		t := l.next.Load()
		switch n := l.slot(t).word.Load() / slotStates; { // L2
		case n < t:
			return 0, false // t-N is not through, and all later tickets are taken
		case n == t && l.next.CompareAndSwap(t, t+1): // L1
			return t, true
		}
	}
}

// wait waits until ticket t is granted.
func (l *Anderson) wait(t uint64, ctx context.Context) error {
	slot := l.slot(t)
	if slot.word.Load() != t*slotStates+granted {
		near := t == 0 || l.slot(t-1).word.Load() == (t-1)*slotStates+granted
		if err := slot.await(t*slotStates, near, ctx); err != nil {
			return err
		}
	}
	l.held.Set(t + 1)
	return nil
}
