package lock

import (
	"context"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/queue"
)

// Source:     the lock made from a queue, as in lectures on concurrent queues: a goroutine that
//             wants the lock enqueues a node, has the lock once the node is at the head, and
//             dequeues it to unlock. Ours: a counter tells which goroutine must hand the lock over,
//             so that none need look at the head of the queue; the holder's node is out of the
//             queue; a lock without waiters is the counter alone; a waiter that leaves marks its
//             node; waiters park.
// Sketch:     count = 4: the holder, and n1 n2 (left) n3        queue: n1 n2 n3
//             Lock:   CAS(count: 0→1), or enqueue n; if count++ is 0, pass; wait until n is granted
//             Unlock: if --count > 0, pass
//             pass:   dequeue n and grant it; while it was left: if --count is 0 free, else next
// Invariants: I1 count is 0 exactly while the lock is free.
//             I2 the queue holds count-1 nodes at least, and more while a goroutine has enqueued
//             and not counted. So a caller of pass finds a node.
//             I3 one goroutine passes at a time: the one that has counted from 0, or the holder
//             that has not counted to 0. So a queue for one consumer will do.
//             NOT invariant: that the node that is granted first is that of the goroutine that
//             counted from 0.
// Progress:   TryLock is wait-free, and so is giving up (LockContext). Arrival is as free of
//             waiting as the queue's enqueue, Unlock as its dequeue. Unlock skips each node that
//             was left, once. A holder that stalls delays all, and so does a waiter that stalls
//             after it was granted the lock.
// Linearize:  Lock without waiting at L1, with waiting where its node is granted; its place in the
//             queue where the queue says; TryLock at L1, or where it loads the counter; Unlock at
//             L2 or L3, or where the next node is granted
// Publish:    the writes of a critical section come before its L2, L3 or grant; the reads of the
//             next one come after its L1 or grant
// ABA/memory: a node is used again by the goroutine that got the lock with it, or that dequeued it
//             after it was left: it is out of the queue, and the goroutine that granted it does
//             not look at it again. A node that was left is in the queue until its turn.
// Cost:       2 read-modify-writes of an integer for Lock and Unlock without waiters, and no
//             allocation. A wait has those of the queue and 6 more, and takes a node of 152 bytes,
//             which the lock keeps one of, and the node a channel, with its first sleep.
// Checked by: TestLock…, TestFIFOForgets, TestRefusal, TestExploreLock…, TestExploreLeave…

// Waiter is a goroutine that waits for a [FIFO]. It has no methods: a queue only stores pointers to
// waiters, and returns them.
type Waiter struct {
	slot  waitSlot
	below atomics.Plain[*Waiter] // in a waiterStack
	_     pad.Line
}

// FIFO is a mutual exclusion lock: first come, first served. A lock made by [NewFIFO] admits in the
// order of the queue that NewFIFO was given. Any goroutine may call its methods. Like a
// [sync.Mutex], it may be unlocked by another goroutine than the one that locked it, and its holder
// must not lock it again.
//
// The zero value is unlocked and has an unbounded queue of its own. It must not be copied after
// first use. A waiter that gives up stays in the queue until its turn, as a queue cannot be
// searched: while a lock is held for long, callers of LockContext that give up accumulate in its
// queue. It has 344 bytes, mostly padding.
type FIFO struct {
	_    pad.Line
	fifo fifo
	_    pad.Line
}

// fifo is a FIFO without padding.
type fifo struct {
	queue    queue.NonBlocking[*Waiter] // immutable; nil if stack is the queue
	count    atomics.Int64
	spare    spare[Waiter]
	stack    waiterStack
	overflow overflowQueue
}

// NewFIFO is a study of the locks that queues make in lectures on concurrent queues; programs use
// the zero FIFO. It returns an unlocked lock that admits in the order of q, which must be empty
// and used by this lock alone. If q is bounded, Lock waits for a place in it, and LockContext
// returns [ErrFull] if there is none. NewFIFO panics if q is nil.
//
// q returns each enqueued waiter exactly once, in an order that it chooses. Any number of
// goroutines call TryEnqueue at the same time. One goroutine at a time calls TryDequeue; each call
// is ordered after the one before. If TryDequeue reports false although an enqueue has ended, the
// lock calls it again until it reports true.
func NewFIFO(q queue.NonBlocking[*Waiter]) *FIFO {
	if q == nil {
		panic("lock: NewFIFO with a nil queue; the zero FIFO has one of its own")
	}
	return &FIFO{fifo: fifo{queue: q}}
}

// Lock locks l. It waits while l is locked, behind all earlier waiters: it parks; if only the
// holder is ahead, it first spins for some microseconds and yields once.
func (l *FIFO) Lock() { l.fifo.lock() }

// TryLock locks l if it is free, and reports whether it did. It never waits.
func (l *FIFO) TryLock() bool { return l.fifo.tryLock() }

// LockContext is Lock until ctx ends: then it returns [context.Cause], and its place in the queue
// is passed by when its turn comes. If the queue is bounded and full, it returns [ErrFull]. It
// returns nil exactly if it has locked l. If ctx has ended already, it does not try.
func (l *FIFO) LockContext(ctx context.Context) error { return l.fifo.lockContext(ctx) }

// Unlock unlocks l, or hands it to the first waiter in the queue. It panics if l is not locked. It
// does not wait.
func (l *FIFO) Unlock() { l.fifo.unlock() }

func (l *fifo) tryLock() bool {
	return l.count.Load() == 0 && !l.overflow.occupied() && l.count.CompareAndSwap(0, 1) // L1
}

func (l *fifo) lock() {
	if l.tryLock() {
		return
	}
	w := l.waiter()
	if l.overflow.occupied() || !l.enqueue(w) {
		l.overflow.enter(func() bool { return l.enqueue(w) })
	}
	_ = l.wait(w, forever)
}

func (l *fifo) lockContext(ctx context.Context) error {
	if ended(ctx) {
		return context.Cause(ctx)
	}
	if l.tryLock() {
		return nil
	}
	w := l.waiter()
	if l.overflow.occupied() || !l.enqueue(w) {
		l.spare.put(w)
		return ErrFull
	}
	return l.wait(w, ctx)
}

func (l *fifo) unlock() {
	if l.count.Load() == 0 {
		panic("lock: Unlock of a FIFO that is not locked")
	}
	if l.count.Add(-1) != 0 { // L2
		l.pass()
	}
}

func (l *fifo) waiter() *Waiter {
	w := l.spare.get()
	w.slot.word.Store(waiting)
	return w
}

func (l *fifo) enqueue(w *Waiter) bool {
	if l.queue == nil {
		l.stack.push(w)
		return true
	}
	return l.queue.TryEnqueue(w)
}

// wait counts w, which is in the queue, and waits until it is granted, or until ctx ends. If the
// lock was free, it first passes the lock on, to the first in the queue.
func (l *fifo) wait(w *Waiter, ctx context.Context) error {
	ahead := l.count.Add(1) - 1
	if ahead == 0 {
		l.pass()
	}
	if err := w.slot.await(0, ahead <= 1, ctx); err != nil {
		return err
	}
	l.spare.put(w)
	return nil
}

// pass hands the lock to the first waiter in the queue that has not left, or frees it.
func (l *fifo) pass() {
	for {
		w := l.dequeue()
		if w.slot.grant(0) {
			break
		}
		l.spare.put(w)
		if l.count.Add(-1) == 0 { // L3
			break
		}
	}
	l.overflow.signal()
}

// dequeue removes and returns the first waiter in the queue, which is not empty (I2).
func (l *fifo) dequeue() *Waiter {
	if l.queue == nil {
		return l.stack.take()
	}
	for b := (backoff.Backoff{}); ; b.Wait() {
		if w, ok := l.queue.TryDequeue(); ok {
			return w
		}
	}
}
