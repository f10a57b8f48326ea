package queue

import (
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/internal/sys/prefetch"
)

// Source:     D. Vyukov, Bounded MPMC queue, 1024cores.net, 2010. Ours: a slot that is not ready
//             does not mean full or empty: the two positions decide, and if they say otherwise the
//             call waits for the peer at work on the slot; turns that allow a capacity of 1;
//             batches.
// Sketch:     enqueue:  t = tail; s = slot of t
//                       if s.turn is not t's to fill: full if tail-head == size, otherwise wait
//                       CAS(tail: t→t+1); s.value = v; s.turn = t's to empty
//             dequeue:  h = head; s = slot of h
//                       if s.turn is not h's to empty: empty if tail == head, otherwise wait
//                       CAS(head: h→h+1); v = s.value; s.turn = (h+size)'s to fill
// Invariants: I1 head ≤ tail ≤ head+size.
//             I2 The turn of a slot only grows, and is one of a position in [tail-size, head+size).
//             I3 The slot of p belongs to the call that moved tail past p until it is p's to empty,
//                and to the call that moved head past p until it is (p+size)'s to fill. Between the
//                two it belongs to no call.
//             NOT invariant: that slots become ready in order.
// Progress:   not lock-free. A call that stalls between claiming a position and storing the turn
//             delays the calls that come to the same slot: a stalled enqueuer delays all dequeuers
//             at once, a stalled dequeuer all enqueuers one round later. They wait with back-off,
//             and let other goroutines run. A failed CAS means that another call claimed the
//             position; enqueuers do not delay each other, nor do dequeuers.
// Linearize:  Enqueue at L1, Dequeue at L2; full at L3, where head was read after tail and tail
//             cannot have been further; empty at L4 likewise. So the length is always tail-head,
//             enqueues included that have claimed, and full and empty are exact.
// Publish:    value is written before turn is stored at L5 and read after it is loaded at L6;
//             cleared before L7, written after L8. L5 and L7 may be seen late: a call that looks
//             for the item, or for room, sees the position that was moved before.
// ABA/memory: a turn comes back after 2^63 items. A slot is cleared when its item is taken; the
//             ring is one allocation.
// Cost:       one CAS and one release each to enqueue and to dequeue; a batch has one CAS in all. A
//             call reads the other side's position only if it finds its slot not ready.
//             docs/algorithms/bounded.md says how slots lie, why they are fetched ahead, and why
//             a call looks at a slot again first.
// Checked by: TestMPMC, TestBounded…, FuzzMPMC, TestExploreBounded…, TestExplorePublished… (what
//             goes wrong without)

// MPMC is a first-in-first-out queue with a bound, for any number of producers and consumers: any
// goroutine may enqueue and dequeue.
//
// TryEnqueue returns false only if the queue was full at some instant of the call, and TryDequeue
// only if it was empty. Full and empty count the items whose enqueuers have claimed a place and are
// about to fill it. To know, a call that meets another one in the middle of its step waits for that
// step: some nanoseconds, unless the other goroutine was preempted there. So the queue is not
// lock-free. No call waits for items or for room, and none allocates.
//
// An MPMC is made by [NewMPMC], not copied, and used through its pointer; the zero value panics
// when it is used. The queue keeps no dequeued item alive.
type MPMC[T any] struct {
	_     pad.Line
	ring  ring[turnSlot[T]]
	ahead uint64 // how many positions ahead a call prefetches a slot
	lines int    // and how many lines of it

	_    pad.Line // enqueuers
	tail atomics.Uint64
	_    pad.Line // dequeuers
	head atomics.Uint64
	_    pad.Line
}

// looksAgain is how often a call looks at a slot that is not ready again before it reads the other
// side's position. That position lies on the line that each call of the other side writes. So a
// side that has caught up would slow the other one down with each look, and catch up again.
const looksAgain = 1

// NewMPMC returns an empty queue with room for at least capacity items, rounded up to a power of
// two. It panics if capacity is less than 1, or if so many items take more than a terabyte.
func NewMPMC[T any](capacity int) *MPMC[T] { return newMPMC[T](capacity, 0) }

// newMPMC returns a queue whose first item will be at position start.
func newMPMC[T any](capacity int, start uint64) *MPMC[T] {
	q := &MPMC[T]{ring: newTurns[T]("NewMPMC", capacity, start)}
	q.ahead, q.lines = q.ring.ahead(), q.ring.lines()
	q.tail.Store(start)
	q.head.Store(start)
	return q
}

// TryEnqueue adds v, unless the queue is full, and reports whether it did. Any goroutine.
func (q *MPMC[T]) TryEnqueue(v T) bool {
	var b backoff.Backoff
	for looks := 0; ; {
		t := q.tail.Load()
		s := q.ring.at(t)
		prefetch.RangeForWrite(uintptr(unsafe.Pointer(q.ring.at(t+q.ahead))), q.lines)
		switch turn := s.turn.Load(); { // L8
		case turn == toFill(t):
			if q.tail.CompareAndSwap(t, t+1) { // L1
				*s.value.ForWrite() = v
				s.turn.Store(toEmpty(t)) // L5
				return true
			}
			b.Retry()
		case past(toFill(t), turn):
			if looks++; looks <= looksAgain {
				b.Retry()
				continue
			}
			if t-q.head.Load() == q.ring.size() { // L3
				return false
			}
			b.Wait() // for the dequeuer of the slot, unless tail has moved
		}
	}
}

// TryDequeue removes and returns the oldest item; ok is false if the queue is empty. Any goroutine.
func (q *MPMC[T]) TryDequeue() (v T, ok bool) {
	var b backoff.Backoff
	for looks := 0; ; {
		h := q.head.Load()
		s := q.ring.at(h)
		prefetch.RangeForWrite(uintptr(unsafe.Pointer(q.ring.at(h+q.ahead))), q.lines)
		switch turn := s.turn.Load(); { // L6
		case turn == toEmpty(h):
			if q.head.CompareAndSwap(h, h+1) { // L2
				v = *s.value.ForRead()
				s.value.Clear()
				s.turn.Store(toFill(h + q.ring.size())) // L7
				return v, true
			}
			b.Retry()
		case past(toEmpty(h), turn):
			if looks++; looks <= looksAgain {
				b.Retry()
				continue
			}
			if q.tail.Load() == h { // L4
				return v, false
			}
			b.Wait() // for the enqueuer of the slot, unless head has moved
		}
	}
}

// EnqueueN adds as many items from the front of vs as there is room for, at one instant, and
// returns how many: none only if the queue is full, and fewer than len(vs) if there is no more room
// or the dequeuer of the next slot is in the middle of its call. They cost one CAS in all, and a
// release each. Any goroutine. It may wait as TryEnqueue does, but not if it can add an item.
func (q *MPMC[T]) EnqueueN(vs []T) int {
	var b backoff.Backoff
	for len(vs) > 0 {
		t := q.tail.Load()
		end := ready(&q.ring, t, len(vs), toFill) // L8
		if end == t {
			if t-q.head.Load() == q.ring.size() { // L3
				return 0
			}
			b.Wait()
			continue
		}
		if q.tail.CompareAndSwap(t, end) { // L1
			for i := range end - t {
				s := q.ring.at(t + i)
				*s.value.ForWrite() = vs[i]
				s.turn.Store(toEmpty(t + i)) // L5
			}
			return int(end - t)
		}
		b.Retry()
	}
	return 0
}

// DequeueN removes the oldest items, at most len(dst), at one instant, puts them into dst and
// returns how many: none only if the queue is empty, and fewer than len(dst) if there are no more
// or the enqueuer of the next one is in the middle of its call. They cost one CAS in all, and a
// release each. Any goroutine. It may wait as TryDequeue does, but not if it can take an item.
func (q *MPMC[T]) DequeueN(dst []T) int {
	var b backoff.Backoff
	for len(dst) > 0 {
		h := q.head.Load()
		end := ready(&q.ring, h, len(dst), toEmpty) // L6
		if end == h {
			if q.tail.Load() == h { // L4
				return 0
			}
			b.Wait()
			continue
		}
		if q.head.CompareAndSwap(h, end) { // L2
			for i := range end - h {
				s := q.ring.at(h + i)
				dst[i] = *s.value.ForRead()
				s.value.Clear()
				s.turn.Store(toFill(h + i + q.ring.size())) // L7
			}
			return int(end - h)
		}
		b.Retry()
	}
	return 0
}

// Len returns how many items there are, including those whose enqueuers are in the middle of their
// calls. Any goroutine. It is exact if no other call is under way. Beside calls under way it may be
// greater, by no more items than those calls remove; 0 means that the queue was empty at some
// instant of the call.
func (q *MPMC[T]) Len() int {
	h := q.head.Load()
	return between(h, q.tail.Load(), q.ring.size())
}
