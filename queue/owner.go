package queue

import "github.com/freerun-go/freerun/internal/sync/atomics"

// Source:     L. Quirk, Ownership of a queue for practical lock-free scheduling, 2008, sections 6
//             to 8: a lock-free queue and a counter, used one after the other. The queue is M.
//             Michael and M. Scott, Simple, fast, and practical non-blocking and blocking
//             concurrent queue algorithms, PODC 1996. Ours: the first sentinel lies in the struct
//             and a nil head or tail stands for it (so the zero value works); nodes are left to the
//             collector; a node that leaves the list links to itself.
// Sketch:     head ─→ sentinel ─→ n1 ─→ n2 ─→ nil     tail is at the last node, or one behind it
//             Enqueue: link a node behind the last one; c := count++; return c == 0
//             Dequeue: move head to n1, take its value;  c := --count; return c == 0
// Invariants: I1 count is the number of Enqueue calls that have counted (L1) less that of Dequeue
//                calls that have counted (L2); it is never negative.
//             I2 The list holds count items, plus one for each Enqueue that has linked but not
//                counted, minus one if a Dequeue has unlinked but not counted.
//             I3 tail is never behind head.
//             I4 count > 0 exactly while there is an owner.
//             NOT invariant: that the list is empty when count is 0; that the item whose Enqueue
//                reports true is the next to come out.
// Progress:   Enqueue is lock-free: a failed CAS means that another call has linked its node or
//             moved tail. Dequeue by the owner is wait-free: no other call moves head, and tail
//             needs one push at most. Delivery is not lock-free: while an Enqueue stalls between
//             linking and counting, the list holds one item more than the counter says. The owner
//             leaves one item behind, perhaps an item whose Enqueue has returned. That item comes
//             out when the stalled call goes on. Package internal/mailbox has a queue without that
//             window.
// Linearize:  ownership: Enqueue at L1, Dequeue at L2 (both on the counter). Items: Enqueue at L3,
//             Dequeue at L4, first in, first out. There is no single point for both, and the whole
//             is NOT linearizable as the set of section 6, which the paper thought probable: A
//             links a and stalls; B enqueues b (true), dequeues a (now empty: true); A goes on
//             (true) and dequeues b. In any order of whole operations that lets B take a, A's
//             Enqueue comes before it, and only one of the two Enqueues may say true. Theorems 2
//             and 3, on which callers build, follow from the counter alone.
// Publish:    node.value is written before L3 and read after next is loaded. After its L1 an owner
//             sees the previous owner's writes before its last L2: both are on count.
// ABA/memory: a node is linked once and never reused, so head and tail never come back to it. A
//             dequeued item is dropped from its node at once. A node out of the list links to
//             itself, so a goroutine asleep in Enqueue retains that one node, not the chain of all
//             that followed; its CAS on that node fails, because next is not nil, and so does its
//             push of tail (I3).
// Cost:       Enqueue 3 atomic read-modify-writes and an allocation; Dequeue 2, and one store. Not
//             padded: every call writes count and reads head or tail, so on lines of their own they
//             cost more misses (in BenchmarkOwner 270 ns an item instead of 230 with many
//             producers) and 512 more bytes, and programs have one queue for each object.
// Checked by: TestOwner…, FuzzOwner, TestExploreOwner…; TestOwnerContract… with the tag
//             freerun_debug

// Owner is a first-in-first-out queue without bound that appoints its own consumer: many goroutines
// may enqueue, and the queue's answers say which single one of them may dequeue.
//
// # Contract
//
// A goroutine becomes the owner when its Enqueue returns true: the queue was empty. Only the owner
// may call Dequeue and Peek. It is the owner until its Dequeue returns true, for empty, and must
// call Dequeue until then; the items it finds may be any producer's. It may hand ownership to
// another goroutine through anything that synchronises (a channel, a run queue); then it is the
// owner no longer. (Sections 7 and 8 of the paper say that a Dequeue ends ownership by returning
// false. Its section 6 and its proofs say true, which is right: the count has come down to zero, so
// the next Enqueue appoints another owner.)
//
// If all callers keep the contract:
//
//   - Calls of Dequeue never overlap, and each owner sees the writes of the previous one (theorem
//     2). Ownership begins when the count goes from zero to one and ends when it goes from one to
//     zero. Between the two no other increment can find zero, so no other goroutine is told that it
//     became the owner, and only the owner decrements.
//   - Enqueue and Dequeue always succeed (theorem 3). The queue has no bound. An item is in the
//     list before it is counted, and is counted until after it has left the list. So the list holds
//     at least as many items as the counter says, which for the owner is at least one.
//
// Ownership ends inside the Dequeue that returns the last item. An owner that needs exclusion while
// it works on an item therefore works on the result of Peek and dequeues the item afterwards.
//
// In a build with the tag freerun_debug a Dequeue or Peek during another one panics, since there
// cannot be two owners. Without the tag that corrupts nothing either (see Dequeue), but goes
// unnoticed. A call without an owner panics in any build.
//
// # Order
//
// Items leave in the order in which they entered. An item whose Enqueue has returned may have to
// wait for another goroutine that is between two steps of its own Enqueue, if that one entered
// first: ownership passes to that goroutine when it goes on. No item is lost.
//
// # Use
//
// The zero value is an empty queue without an owner. An Owner must not be copied after first use.
// No method waits. Enqueue allocates one node. The queue keeps no dequeued item alive.
type Owner[T any] struct {
	head  atomics.Pointer[ownerNode[T]] // the sentinel, moved by the owner; nil is &first
	tail  atomics.Pointer[ownerNode[T]] // the last node or its predecessor; nil is &first
	count atomics.Int64                 // items that Enqueue has counted and Dequeue has not
	owner side                          // nothing, except in a debug build
	first ownerNode[T]                  // the sentinel of a queue that was never dequeued from
}

// ownerNode is a node of the list. Its value is written before the node is linked; afterwards it
// belongs to the call that makes the node the sentinel.
type ownerNode[T any] struct {
	next  atomics.Pointer[ownerNode[T]] // nil; the successor; out of the list, the node itself
	value atomics.Plain[T]
}

const onlyTheOwner = "only the goroutine whose Enqueue returned true may call it, until Dequeue reports that the queue is empty"

// Enqueue adds v and reports whether the queue was empty: then the caller is the owner from now on,
// and the queue relies on it to dequeue. Any goroutine may call it, the owner too. It is the
// paper's enq_and_was_empty.
func (q *Owner[T]) Enqueue(v T) (wasEmpty bool) {
	q.link(v)
	return q.countIn()
}

// link puts v at the end of the list: the first step of Enqueue.
func (q *Owner[T]) link(v T) {
	n := &ownerNode[T]{}
	n.value.Set(v)
	for {
		t := q.tail.Load()
		last := q.node(t)
		next := last.next.Load()
		if next != nil {
			// tail has fallen behind. Or it was read before last left the list; in that case it has
			// moved and this does nothing.
			q.tail.CompareAndSwap(t, next)
			continue
		}
		if last.next.CompareAndSwap(nil, n) { // L3
			q.tail.CompareAndSwap(t, n) // if it fails, another call has pushed tail
			return
		}
	}
}

// countIn adds a linked item to the count and reports whether it was the first: the second step of
// Enqueue.
func (q *Owner[T]) countIn() (wasEmpty bool) {
	return q.count.Add(1) == 1 // L1
}

// Dequeue removes and returns the oldest item and reports whether the queue is empty now: then the
// caller is no longer the owner, and must not call Dequeue or Peek again until it becomes the owner
// anew. Owner only. It is the paper's deq_and_is_empty.
//
// On an empty queue, which has no owner, Dequeue panics and leaves the queue as it was. A Dequeue
// by a goroutine that is not the owner takes an item if there is one. No item is lost or taken
// twice, but a later Dequeue of the owner may panic because the queue is empty.
func (q *Owner[T]) Dequeue() (v T, isEmpty bool) {
	v = q.unlink()
	return v, q.countOut()
}

// unlink takes the oldest item out of the list: the first step of Dequeue.
func (q *Owner[T]) unlink() (v T) {
	q.owner.enter("queue: Dequeue of an Owner")
	for {
		h := q.head.Load()
		t := q.tail.Load()
		sentinel := q.node(h)
		next := sentinel.next.Load()
		if next == nil || q.count.Load() <= 0 {
			q.owner.leave()
			panic("queue: Dequeue of an Owner without items: " + onlyTheOwner)
		}
		if h == t { // keeps I3
			q.tail.CompareAndSwap(t, next)
			continue
		}
		if q.head.CompareAndSwap(h, next) { // L4
			v = next.value.Take()
			sentinel.next.Store(sentinel)
			q.owner.leave() // ownership itself may end at L2, and not before
			return v
		}
	}
}

// countOut takes an unlinked item off the count and reports whether it was the last: the second
// step of Dequeue.
func (q *Owner[T]) countOut() (isEmpty bool) {
	return q.count.Add(-1) == 0 // L2
}

// Peek returns the oldest item, which Dequeue is going to return, and leaves it in the queue. Owner
// only: beside a Dequeue of another goroutine it is a data race. On an empty queue, which has no
// owner, it panics.
func (q *Owner[T]) Peek() T {
	q.owner.enter("queue: Peek at an Owner")
	next := q.node(q.head.Load()).next.Load()
	if next == nil || q.count.Load() <= 0 {
		q.owner.leave()
		panic("queue: Peek at an Owner without items: " + onlyTheOwner)
	}
	v := next.value.Get()
	q.owner.leave()
	return v
}

// node returns the node that a value of head or tail stands for.
func (q *Owner[T]) node(p *ownerNode[T]) *ownerNode[T] {
	if p == nil {
		return &q.first
	}
	return p
}
