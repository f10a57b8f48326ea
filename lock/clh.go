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

// Source:     T. Craig, Building FIFO and priority-queuing spin locks from atomic swap, University
//             of Washington TR 93-02-02, 1993; P. Magnusson, A. Landin and E. Hagersten, Queue
//             locks on cache coherent multiprocessors, IPPS 1994. Giving up is that of CLH-NB-try:
//             M. Scott, Non-blocking timeout in scalable queue-based spin locks, PODC 2002. Ours:
//             a waiter parks, and says so in the node that it waits for; a free lock without
//             waiters has no node in the queue; the node of a holder that did not wait is part of
//             the lock.
// Sketch:     n1 (held) ←─ n2 (left, pred n1) ←─ n3 ←─ tail     each waits for the node ahead
//             Lock:   free:  CAS(tail: nil→own)
//                     else:  p = swap(tail, n); until p is over:
//                            if p was left, p = p.pred, else wait, asleep with p.state = n
//             Unlock: no node behind:  CAS(tail: held→nil)
//                     else:            swap(held.state, over), and wake the owner of the old state
//             leave:  CAS(p.state: n→nil); no node behind: CAS(tail: n→p)
//                     else n.pred = p; swap(n.state, gone), and wake the owner of the old state
// Invariants: I1 tail is nil, or the last node. The lock is free exactly if tail is nil, or leads
//             over nodes that were left to a node that is over.
//             I2 a node has at most one waiter: the owner of the next node that was not left.
//             I3 nodes are over in the order of their swaps.
//             I4 own is in the queue from a CAS(tail: nil→own) until its holder takes it out, or
//             until the goroutine that waited for it has the lock. So own is not in the queue
//             whenever tail is nil, and is as good as new by then.
//             I5 held is the holder's.
//             NOT invariant: that tail is nil whenever the lock is free (the last waiter may have
//             left just before it was handed the lock).
// Progress:   TryLock, arrival, leaving and Unlock are wait-free, except that a waiter that
//             arrives, or is woken, goes by each node that was left once. A holder that stalls
//             delays all, and so does a waiter that stalls after it was handed the lock.
// Linearize:  Lock without waiting at L1, with waiting at L3; its place in the queue at L2; Unlock
//             at L4 or L5; TryLock at L1, L3, or where it sees that the last node is neither over
//             nor left
// Publish:    the writes of a critical section come before its L4 or L5, the reads of the next one
//             after its L1 or L3; pred before state is gone, read after it was loaded; parker
//             before its node is in a state, read after it
// ABA/memory: the waiter for a node uses it again, once it is over or gone: its owner does not
//             look at it again, and the queue leads to it no more. The owner uses it again if the
//             owner takes it out of the queue itself. No CAS can take one use of a node for
//             another, except that of TryLock (see there): tail and state are compared with nodes
//             that are in the queue, by the goroutine that has put them there or waits for them.
//             A node that was left, with a waiter behind it, is in the queue until that waiter,
//             which is woken for it, has gone by: so there are no more such nodes than goroutines
//             that waited at one time.
// Cost:       2 CAS of a pointer for Lock and Unlock without waiters, and no allocation. A wait
//             has 8 atomic writes and takes a node of 160 bytes, which the lock keeps one of, and
//             the node a channel, with its first sleep.
// Checked by: TestLock…, TestLineStaysShort, TestCLHLeavesNothing, TestExploreLock…,
//             TestExploreLeave…, TestExploreCLH…

// CLH is a mutual exclusion lock whose waiters form a queue: first come, first served. Each waits
// for the one ahead. A waiter that gives up is out of the queue at once, so a lock that is held for
// long and tried for often retains nothing. Any goroutine may call its methods. Like a
// [sync.Mutex], it may be unlocked by another goroutine than the one that locked it, and its holder
// must not lock it again.
//
// The zero value is unlocked. It must not be copied after first use. It has 312 bytes, mostly
// padding.
type CLH struct {
	_     pad.Line
	tail  atomics.Pointer[clhNode]
	held  atomics.Plain[*clhNode] // the holder's node; nil while the lock is free
	spare spare[clhNode]
	own   clhNode // the node of a holder that found the queue empty
}

type clhNode struct {
	state  atomics.Pointer[clhNode]    // nil, over, gone, or the sleeping waiter's
	pred   atomics.Plain[*clhNode]     // of a node that is gone: the one ahead
	parker atomics.Plain[*park.Parker] // where the node's owner sleeps; kept with the node
	holds  atomics.Bool                // the owner has the lock: a hint
	_      pad.Line
}

// The last states of a node: its holder has unlocked, or its owner has left.
var over, gone = new(clhNode), new(clhNode)

// Lock locks l. It waits while l is locked, behind all earlier waiters: it parks; if only the
// holder is ahead, it first spins for some microseconds and yields once.
func (l *CLH) Lock() {
	if l.tail.CompareAndSwap(nil, &l.own) { // L1
		l.held.Set(&l.own)
		return
	}
	n := l.node()
	_ = l.wait(n, l.tail.Swap(n), forever) // L2
}

// LockContext is Lock until ctx ends: then it leaves the queue and returns [context.Cause]. It
// returns nil exactly if it has locked l. If ctx has ended already, it does not try.
func (l *CLH) LockContext(ctx context.Context) error {
	if ended(ctx) {
		return context.Cause(ctx)
	}
	if l.tail.CompareAndSwap(nil, &l.own) { // L1
		l.held.Set(&l.own)
		return nil
	}
	n := l.node()
	return l.wait(n, l.tail.Swap(n), ctx) // L2
}

// TryLock locks l if it is free, and reports whether it did. It never waits.
func (l *CLH) TryLock() bool {
	t := l.tail.Load()
	if t == nil {
		if !l.tail.CompareAndSwap(nil, &l.own) { // L1
			return false
		}
		l.held.Set(&l.own)
		return true
	}
	if s := t.state.Load(); s != over && s != gone {
		return false
	}
	// All waiters have left: whether the lock is free can only be told from a place in the queue.
	// If t was used again meanwhile, there are others in the queue, and this goroutine leaves it
	// again.
	n := l.node()
	if !l.tail.CompareAndSwap(t, n) {
		l.spare.put(n)
		return false
	}
	p, free := l.ahead(t)
	if free {
		l.enter(n)
	} else {
		l.leave(n, p)
	}
	return free
}

// Unlock unlocks l, or hands it to the waiter that has waited longest. It panics if l is not
// locked. It does not wait.
func (l *CLH) Unlock() {
	n := l.held.Take()
	if n == nil {
		panic("lock: Unlock of a CLH that is not locked")
	}
	if l.tail.CompareAndSwap(n, nil) { // L4
		if n != &l.own {
			l.spare.put(n)
		}
		return
	}
	n.end(over) // L5
}

// node returns a node that is as good as new.
func (l *CLH) node() *clhNode {
	n := l.spare.get()
	n.state.Store(nil)
	n.holds.Store(false)
	return n
}

// wait waits with n, which is behind p in the queue.
func (l *CLH) wait(n, p *clhNode, ctx context.Context) error {
	var b backoff.Backoff
	awake := true
	for p != nil {
		var free bool
		if p, free = l.ahead(p); free {
			break
		}
		if awake && (p == &l.own || p.holds.Load()) {
			if awake = !b.Spent(); awake {
				b.Wait()
			} else {
				yield.Local() // the holder may wait for this very processor
			}
			continue
		}
		parker := n.parker.Get()
		if parker == nil {
			parker = park.New()
			n.parker.Set(parker)
		}
		if p.state.Load() != n && !p.state.CompareAndSwap(nil, n) {
			continue
		}
		if err := sleep(parker, ctx); err != nil && p.state.CompareAndSwap(n, nil) {
			l.leave(n, p)
			return err
		}
	}
	l.enter(n)
	return nil
}

// ahead returns the first node from p on that was not left, or reports that this is over: then the
// caller, which waits for p, has the lock. The caller owns the nodes that it goes by, and the one
// that is over.
func (l *CLH) ahead(p *clhNode) (_ *clhNode, free bool) {
	for {
		switch p.state.Load() { // L3
		case over:
			if p == &l.own {
				p.state.Store(nil)
			} else {
				l.spare.put(p)
			}
			return nil, true
		case gone:
			pred := p.pred.Take()
			l.spare.put(p)
			p = pred
		default:
			return p, false
		}
	}
}

// enter notes that the owner of n has the lock.
func (l *CLH) enter(n *clhNode) {
	n.holds.Store(true)
	l.held.Set(n)
}

// leave takes n out of the queue. The owner of n waits for p, and p.state does not name n any
// more.
func (l *CLH) leave(n, p *clhNode) {
	if l.tail.CompareAndSwap(n, p) {
		l.spare.put(n)
		return
	}
	n.pred.Set(p)
	n.end(gone)
}

// end gives n, which has a node behind it, its last state, and wakes the waiter if that sleeps.
// From then on n belongs to the waiter.
func (n *clhNode) end(last *clhNode) {
	if next := n.state.Swap(last); next != nil {
		next.parker.Get().Unpark()
	}
}
