package lock

import (
	"context"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// Source:     J. Mellor-Crummey and M. Scott, Algorithms for scalable synchronization on
//             shared-memory multiprocessors, ACM TOCS 1991; in the form of IBM's K42 (M. Scott,
//             Shared-Memory Synchronization, 2013, section 4.3.1), in which the holder needs no
//             node, as its place is in the lock. Waiters leave as in MCS-TP: B. He, W. Scherer and
//             M. Scott, Preemption adaptivity in time-published queue-based spin locks, HiPC 2005:
//             a waiter that leaves marks its node, and the goroutine that hands the lock over skips
//             it. Ours: waiters park; arrival is one swap; marked nodes are swept now and then
//             (mcs_sweep.go), so that a lock that is held for long does not collect them.
// Sketch:     tail ─→ n3      holder ─→ n1 ─→ n2 (left) ─→ n3      each waits in its own node
//             Lock:   free:  CAS(tail: nil→holder)
//                     else:  p = swap(tail, n); p.next = n; wait until n is granted
//                            holder.next = n.next, or, if there is none, CAS(tail: n→holder)
//             Unlock: no next:  CAS(tail: holder→nil)
//                     else:     grant the first node that was not left
//                               if all were left, CAS(tail: last→nil)
// Invariants: I1 tail is nil exactly while the lock is free.
//             I2 from holder.next the nodes lead to tail, except for nodes whose owners have
//             swapped and not linked yet.
//             I3 nodes are granted in the order of their swaps.
//             I4 a node's next is written once by the waiter behind it, and then by a sweep only,
//             which makes it lead past nodes that were left.
//             NOT invariant: that holder.next is nil while there are no waiters (the node may have
//             been left).
// Progress:   TryLock is wait-free, and so is arrival. Unlock is wait-free, except that it waits
//             for the one store of an arrival that has swapped and not linked. Giving up
//             (LockContext) is wait-free, except for a sweep, which no goroutine waits for. A
//             holder that stalls delays all, and so does a waiter that stalls after it was granted
//             the lock.
// Linearize:  Lock at L1, at an L2 that finds the lock free, or where its node is granted; its
//             place in the queue at L2. TryLock at L1, or where it loads a tail that is not nil.
//             Unlock at L3, at L4, or where it grants the next node.
// Publish:    the writes of a critical section come before its L3, L4 or grant; the reads of the
//             next one come after its L1, or after its load of the slot's word
// ABA/memory: see [MCS.enter] for when a node is used again, and mcs_sweep.go for the nodes that
//             are retained
// Cost:       2 CAS of a pointer for Lock and Unlock without waiters, and no allocation. A wait has
//             9 or 10 atomic writes and takes a node of 152 bytes; the lock keeps one node for
//             reuse. The first sleep with a node allocates its channel.
// Checked by: TestLock…, TestLineStaysShort, TestExploreLock…, TestExploreLeave…, TestExploreMCS…

// MCS is a mutual exclusion lock whose waiters form a queue: first come, first served. Each waiter
// waits at a place of its own, so that a handover touches only the next waiter's cache lines. Any
// goroutine may call its methods. Like a [sync.Mutex], it may be unlocked by another goroutine than
// the one that locked it, and its holder must not lock it again.
//
// The zero value is unlocked. It must not be copied after first use. It has 296 bytes, mostly
// padding.
type MCS struct {
	_      pad.Line
	tail   atomics.Pointer[mcsPlace]
	holder mcsPlace // the holder's place in the queue
	spare  spare[mcsNode]
	sweep  mcsSweep
	_      pad.Line
}

// mcsPlace is a place in the queue: that of the holder, or that of a node.
type mcsPlace struct{ next atomics.Pointer[mcsNode] }

// mcsNode is the place of a waiter. Each has cache lines of its own.
type mcsNode struct {
	mcsPlace
	slot waitSlot
	_    pad.Line
}

// Lock locks l. It waits while l is locked, behind all earlier waiters: it parks; if only the
// holder is ahead, it first spins for some microseconds and yields once.
func (l *MCS) Lock() {
	if !l.tail.CompareAndSwap(nil, &l.holder) { // L1
		_ = l.wait(forever)
	}
}

// TryLock locks l if it is free, and reports whether it did. It never waits.
func (l *MCS) TryLock() bool {
	return l.tail.Load() == nil && l.tail.CompareAndSwap(nil, &l.holder) // L1
}

// LockContext is Lock until ctx ends: then it gives up its place in the queue and returns
// [context.Cause]. It returns nil exactly if it has locked l. If ctx has ended already, it does
// not try.
func (l *MCS) LockContext(ctx context.Context) error {
	if ended(ctx) {
		return context.Cause(ctx)
	}
	if l.TryLock() {
		return nil
	}
	return l.wait(ctx)
}

// Unlock unlocks l, or hands it to the waiter that has waited longest. It panics if l is not
// locked. It does not wait.
func (l *MCS) Unlock() {
	if l.holder.next.Load() == nil && l.tail.CompareAndSwap(&l.holder, nil) { // L3
		return
	}
	l.pass()
}

func (l *MCS) wait(ctx context.Context) error {
	n := l.spare.get()
	n.next.Store(nil)
	n.slot.word.Store(waiting)
	p := l.tail.Swap(&n.mcsPlace) // L2
	if p != nil {
		p.next.Store(n)
		if err := n.slot.await(0, p == &l.holder, ctx); err != nil {
			l.sweep.left(l)
			return err
		}
	}
	l.enter(n)
	return nil
}

// enter replaces n, the node of the new holder, by the holder's place in the lock. n was granted
// the lock, or arrived when the lock was free. The previous holder has granted n and no longer
// reads it. The waiter behind n has linked its node, or finds the holder's place. Only a sweep
// under way may still stand on n; a later sweep begins behind n, as enter writes holder.next before
// it looks for a sweep. So n may be used again unless there is a sweep.
func (l *MCS) enter(n *mcsNode) {
	next := n.next.Load()
	if next == nil {
		l.holder.next.Store(nil)
		if !l.tail.CompareAndSwap(&n.mcsPlace, &l.holder) {
			next = n.linked()
		}
	}
	if next != nil {
		l.holder.next.Store(next)
	}
	if !l.sweep.underWay.Load() {
		l.spare.put(n)
	}
}

// pass hands the lock to the first waiter in the queue that has not left, or frees it. Nodes that
// were left are not used again: sweeps and their own next lead through them.
func (l *MCS) pass() {
	n := l.holder.next.Load()
	if n == nil {
		if l.tail.Load() == nil {
			panic("lock: Unlock of an MCS that is not locked")
		}
		n = l.holder.linked()
	}
	for !n.slot.grant(0) {
		next := n.next.Load()
		if next == nil {
			l.holder.next.Store(nil)
			if l.tail.CompareAndSwap(&n.mcsPlace, nil) { // L4
				return
			}
			next = n.linked()
		}
		n = next
	}
}

// linked returns the node behind p, whose owner has swapped tail. It waits only for an owner that
// stalls between the swap and the link.
func (p *mcsPlace) linked() *mcsNode {
	for b := (backoff.Backoff{}); ; b.Wait() {
		if next := p.next.Load(); next != nil {
			return next
		}
	}
}
