package queue

import (
	"fmt"
	"math/bits"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Source:     R. Nikolaev, A Scalable, Portable, and Memory-Efficient Lock-Free FIFO Queue, DISC
//             2019: SCQ, with values by indirection. Three differences.
//             The paper tells an empty ring by a counter, which enqueuers set to 3n-1 and dequeuers
//             that find nothing decrement. That holds for about n calls at a time; goroutines are
//             not so few, and with more an item that is there is not found any more
//             (TestExploreCountdown). Here a position bounds where indices are: limit, for any
//             number of calls.
//             A dequeuer that finds its slot held marks the slot unsafe in the paper. Here it
//             writes barred, so that no other call writes a full slot and the index is taken by a
//             store.
//             A dequeuer looks at the slot before it takes a position.
// Sketch:     free, items: rings of 2n slots with indices; values: n cells, one for each index
//             TryEnqueue: i from free; values[i] = v; i to items
//             TryDequeue: i from items; v = values[i]; i to free
//             ring:  … void void void │ full full void full │ open open …   p's slot: p mod 2n
//                                       ↑ head                ↑ tail
//             enqueue: p = tail++; if the slot is open, and p not barred:
//                      CAS(open→full), limit past p; else the next p
//             dequeue: if there is nothing at head, and the ring is empty: no. p = head++
//                      if the slot is full: take the index; if open: CAS(open→void); if held: bar p
//                      without index: the next p, unless the ring is empty
// Invariants: I1 Each index is in free, in items, or with one call. So a ring holds at most n, and
//                of 2n positions from head on at least n+1 have a slot without index: enqueue needs
//                no "full".
//             I2 Each position is given to one dequeuer and one enqueuer; the dequeuer takes out
//             the index that the enqueuer puts in.
//             I3 limit is past each position whose enqueue has returned.
//             I4 Once the dequeuer at p has left without index, none comes to p: the slot is void,
//                or of a later lap, or p is barred and was so before the slot was open (the
//                dequeuer looks again after barring; the enqueuer looks at the slot first, and at
//                barred then).
//             I5 head, limit and barred only grow, barred ≤ head; tail grows, or is set to head
//                when it is behind.
//             NOT invariant: that head ≤ tail; that the positions between them all have an index.
// Progress:   lock-free. dequeue goes round only while limit is past head, and each round moves
//             head. So it goes round for ever only if other calls move limit, and those calls end.
//             enqueue goes round if a dequeuer was first at its position, or its slot is held (I1:
//             at most n of 2n). A stalled call keeps one index: one place less meanwhile.
// Linearize:  items are in the order of their positions. TryEnqueue at the last L1, TryDequeue at
//             the last L4, or at its partner's L1 if that comes later. Empty, of items or of free,
//             which means full: at L5 or L6, because by then all positions before limit or tail had
//             been given to dequeuers
// Publish:    values[i] is written before L2 on items and read after it; cleared before L2 on free
//             and written after it
// ABA/memory: laps do not come back within 292 years (scq_entry.go). 32 bytes a place beside the
//             value; nothing is retained
// Cost:       3 atomic read-modify-writes and a releasing store a call: head and a slot of one
//             ring, tail and a slot of the other. In a call that fails, none unless it loses a
//             race. No allocation after construction
// Checked by: TestStrict…, TestScq…, FuzzStrictMPMC; in the explorer TestExploreStrict…,
//             TestExploreScq…, TestExploreLimit

// StrictMPMC is a bounded first-in-first-out queue. Any goroutine may enqueue and dequeue. No call
// waits, and all are lock-free: a goroutine that is stopped in the middle of a call keeps no other
// from finishing its own. Where a pause of the queue until that goroutine goes on does no harm,
// [MPMC] is faster.
//
// TryEnqueue and TryDequeue are linearizable. When TryDequeue reports empty, the queue was empty at
// some instant of the call. When TryEnqueue reports full, at some instant of the call each place
// held an item or was in the hands of a call under way: a TryDequeue that has not returned yet may
// still keep its place. These answers are right for any number of goroutines.
//
// A StrictMPMC must be made with [NewStrictMPMC], or its methods panic, and must not be copied. The
// queue keeps no dequeued item alive. After construction nothing is allocated.
type StrictMPMC[T any] struct {
	items  scqRing
	free   scqRing
	values []atomics.Plain[T]
}

// maxStrictMPMC is the greatest capacity.
const maxStrictMPMC = 1 << 30

// NewStrictMPMC returns an empty queue with room for capacity items, rounded up to a power of two.
// It panics unless capacity is from 1 to 1<<30.
func NewStrictMPMC[T any](capacity int) *StrictMPMC[T] { return newStrictMPMC[T](capacity, 0) }

// newStrictMPMC returns a queue whose positions begin at start.
func newStrictMPMC[T any](capacity int, start uint64) *StrictMPMC[T] {
	if capacity < 1 || capacity > maxStrictMPMC {
		panic(fmt.Sprintf("queue: NewStrictMPMC with capacity %d, which must be from 1 to %d", capacity, maxStrictMPMC))
	}
	capacity = 1 << bits.Len(uint(capacity-1))
	q := &StrictMPMC[T]{values: make([]atomics.Plain[T], capacity)}
	q.items.init(capacity, start, 0)
	q.free.init(capacity, start, capacity)
	return q
}

// TryEnqueue adds v and reports true, or false if the queue was full. Any goroutine. It does not
// wait, and is lock-free.
func (q *StrictMPMC[T]) TryEnqueue(v T) bool {
	q.mustBeMade()
	i, ok := q.free.dequeue()
	if !ok {
		return false
	}
	q.values[i].Set(v)
	q.items.enqueue(i)
	return true
}

// TryDequeue removes and returns the oldest item, or reports false if the queue was empty. Any
// goroutine. It does not wait, and is lock-free.
func (q *StrictMPMC[T]) TryDequeue() (v T, ok bool) {
	q.mustBeMade()
	i, ok := q.items.dequeue()
	if !ok {
		return v, false
	}
	v = q.values[i].Take()
	q.free.enqueue(i)
	return v, true
}

// mustBeMade panics if q is the zero value.
func (q *StrictMPMC[T]) mustBeMade() {
	if len(q.values) == 0 {
		panic("queue: use of a StrictMPMC that NewStrictMPMC has not made")
	}
}

// Len returns how many items there are: a snapshot, which may be out of date when it is returned. 0
// means that there was none at some instant of the call. Calls under way may make it too great, and
// so may a position that an enqueuer and a dequeuer have spoiled for each other, until the next
// dequeuers have passed it. It is never greater than the capacity. Any goroutine; it does not wait.
func (q *StrictMPMC[T]) Len() int { return q.items.len() }
