package queue

import (
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/internal/sys/prefetch"
)

// Source:     the mirror image of [MPSC]: D. Vyukov, Bounded MPMC queue, 1024cores.net, 2010, with
//             one producer, which needs no compare-and-swap: the slots that it has taken are those
//             that it has filled. Ours: therefore the slots alone say whether the queue is empty; a
//             slot that is not free does not mean full; batches.
// Sketch:     enqueue:  s = slot of tail
//                       if s.turn is not tail's to fill: full if tail-head == size, otherwise wait
//                       s.value = v; s.turn = tail's to empty; tail++
//             dequeue:  h = head; s = slot of h
//                       if s.turn is not h's to empty: empty (or h is out of date)
//                       CAS(head: h→h+1); v = s.value; s.turn = (h+size)'s to fill
// Invariants: I1 head ≤ filled ≤ head+size, where filled counts the slots that have been filled. It
//             is greater than tail from L1 to F, and otherwise tail.
//             I2 Slots are filled in order.
//             I3 The slot of p is the producer's until it is p's to empty, then belongs to the
//                consumer that moved head past p until it is (p+size)'s to fill.
//             NOT invariant: that slots are freed in order.
// Progress:   Dequeue is lock-free: a failed CAS means that another one claimed. Enqueue is NOT: a
//             consumer that stalls between claiming and freeing delays the producer once it has
//             come round to that slot, which waits rather than report full. Dequeue goes on until
//             the queue is empty.
// Linearize:  Enqueue when others see L1, Dequeue at the CAS L2; empty at L3: item h is not there
//             yet, and head is h at least; full at L4: head is a round behind. So full and empty
//             are exact.
// Publish:    value is written before L1 and read after L3; cleared before turn is stored at L5 and
//             written after it is loaded at L6. L5 may be seen late: a call that looks for room
//             sees the head that was moved before. L1 may not, because nothing else says that there
//             is an item, and a producer that brings one may go on to look whether a consumer
//             sleeps for want of it. So each call ends with a store of tail that Go's memory model
//             orders after L1 and before all that follows (F).
// ABA/memory: a turn comes back after 2^63 items. A slot is cleared when its item is taken; the
//             ring is one allocation.
// Cost:       enqueue: a release and an atomic store; dequeue: a CAS and a release; a batch: one
//             atomic store or CAS in all, and a release each. Both sides share the slot only,
//             except that the producer reads head when it finds its slot not free. (An exchange on
//             the slot itself instead of L1 and F takes three times as long between two cores.)
// Checked by: TestSPMC, TestBounded…, FuzzSPMC, TestExploreBounded…

// SPMC is a first-in-first-out queue with a bound, for one producer and any number of consumers:
// one goroutine at a time may enqueue, any may dequeue. The producer's side may pass to another
// goroutine through anything that synchronises. Two goroutines that enqueue at once corrupt the
// queue; a build with the tag freerun_debug panics instead.
//
// Dequeueing is lock-free. Enqueueing waits for a consumer that is between claiming an item and
// taking it out, if the queue is full but for that item. It does not wait for room. No call
// allocates.
//
// An SPMC is made by [NewSPMC], not copied, and used through its pointer; the zero value panics
// when it is used. The queue keeps no dequeued item alive.
type SPMC[T any] struct {
	_        pad.Line
	ring     ring[turnSlot[T]]
	ahead    uint64 // how many positions ahead a call prefetches a slot
	lines    int    // and how many lines of it
	producer side

	_    pad.Line // producer only, but for Len
	tail atomics.Uint64

	_    pad.Line // consumers
	head atomics.Uint64
	_    pad.Line
}

// NewSPMC returns an empty queue with room for at least capacity items, rounded up to a power of
// two. It panics if capacity is less than 1, or if so many items take more than a terabyte.
func NewSPMC[T any](capacity int) *SPMC[T] { return newSPMC[T](capacity, 0) }

// newSPMC returns a queue whose first item will be at position start.
func newSPMC[T any](capacity int, start uint64) *SPMC[T] {
	q := &SPMC[T]{ring: newTurns[T]("NewSPMC", capacity, start)}
	q.ahead, q.lines = q.ring.ahead(), q.ring.lines()
	q.tail.Store(start)
	q.head.Store(start)
	return q
}

// TryEnqueue adds v, unless the queue is full, and reports whether it did. Producer only. It may
// wait for a consumer that is in the middle of its call.
func (q *SPMC[T]) TryEnqueue(v T) bool {
	q.producer.enter("queue: TryEnqueue of an SPMC")
	t := q.tail.Load()
	s := q.ring.at(t)
	prefetch.RangeForWrite(uintptr(unsafe.Pointer(q.ring.at(t+q.ahead))), q.lines)
	if s.turn.Load() != toFill(t) && !q.await(s, t) { // L6
		q.producer.leave()
		return false
	}
	*s.value.ForWrite() = v
	s.turn.Store(toEmpty(t)) // L1
	q.tail.Store(t + 1)      // F
	q.producer.leave()
	return true
}

// await waits until the slot of position t is free. It returns false if no consumer is about to
// free it.
func (q *SPMC[T]) await(s *turnSlot[T], t uint64) bool {
	for b := (backoff.Backoff{}); t-q.head.Load() != q.ring.size(); b.Wait() { // L4
		if s.turn.Load() == toFill(t) { // L6
			return true
		}
	}
	return false
}

// TryDequeue removes and returns the oldest item; ok is false if the queue is empty. Any goroutine;
// lock-free.
func (q *SPMC[T]) TryDequeue() (v T, ok bool) {
	var b backoff.Backoff
	for {
		h := q.head.Load()
		s := q.ring.at(h)
		prefetch.RangeForWrite(uintptr(unsafe.Pointer(q.ring.at(h+q.ahead))), q.lines)
		switch turn := s.turn.Load(); { // L3
		case turn == toEmpty(h):
			if q.head.CompareAndSwap(h, h+1) { // L2
				v = *s.value.ForRead()
				s.value.Clear()
				s.turn.Store(toFill(h + q.ring.size())) // L5
				return v, true
			}
			b.Retry()
		case past(toEmpty(h), turn):
			return v, false
		}
	}
}

// EnqueueN adds as many items from the front of vs as there is room for and returns how many: none
// only if the queue is full, and fewer than len(vs) if there is no more room or the consumer of the
// next slot is in the middle of its call. They cost one atomic store in all, and a release each.
// Producer only. It may wait as TryEnqueue does, but not once it has added an item.
func (q *SPMC[T]) EnqueueN(vs []T) int {
	q.producer.enter("queue: EnqueueN of an SPMC")
	t := q.tail.Load()
	p := t
	for i := range vs {
		s := q.ring.at(p)
		if s.turn.Load() != toFill(p) && (p != t || !q.await(s, p)) { // L6
			break
		}
		*s.value.ForWrite() = vs[i]
		s.turn.Store(toEmpty(p)) // L1
		p++
	}
	if p != t {
		q.tail.Store(p) // F
	}
	q.producer.leave()
	return int(p - t)
}

// DequeueN removes the oldest items, at most len(dst), which are next to each other, puts them into
// dst and returns how many: fewer than len(dst) only if there were no more at some instant of the
// call. They cost one CAS in all, and a release each. Any goroutine; lock-free.
func (q *SPMC[T]) DequeueN(dst []T) int {
	var b backoff.Backoff
	for len(dst) > 0 {
		h := q.head.Load()
		end := ready(&q.ring, h, len(dst), toEmpty) // L3
		if end == h {
			if past(toEmpty(h), q.ring.at(h).turn.Load()) {
				return 0
			}
			continue
		}
		if q.head.CompareAndSwap(h, end) { // L2
			for i := range end - h {
				s := q.ring.at(h + i)
				dst[i] = *s.value.ForRead()
				s.value.Clear()
				s.turn.Store(toFill(h + i + q.ring.size())) // L5
			}
			return int(end - h)
		}
		b.Retry()
	}
	return 0
}

// Len returns how many items there are. Any goroutine. It is exact if no other call is under way.
// Beside calls under way it is an estimate: more or fewer by no more items than those calls add and
// remove.
func (q *SPMC[T]) Len() int {
	h := q.head.Load()
	return between(h, q.tail.Load(), q.ring.size())
}
