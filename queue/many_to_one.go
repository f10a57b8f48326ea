package queue

import (
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/internal/sys/prefetch"
)

// Source:     D. Vyukov, Bounded MPMC queue, 1024cores.net, 2010, with one consumer, which needs no
//             compare-and-swap: the slots that it has taken are those that it has freed. Ours:
//             therefore the slots alone say whether the queue is full; a slot that is not filled
//             does not mean empty; batches.
// Sketch:     enqueue:  t = tail; s = slot of t
//                       if s.turn is not t's to fill: full (or t is out of date)
//                       CAS(tail: t→t+1); s.value = v; s.turn = t's to empty
//             dequeue:  s = slot of head
//                       if s.turn is not head's to empty: empty if tail == head, otherwise wait
//                       v = s.value; s.turn = (head+size)'s to fill; head++
// Invariants: I1 head ≤ tail ≤ freed+size, where freed counts the slots that have been freed. It is
//             greater than head from L2 to F, and otherwise head.
//             I2 Slots are freed in order.
//             I3 The slot of p belongs to the producer that moved tail past p until it is p's to
//                empty, then to the consumer until it is (p+size)'s to fill.
//             NOT invariant: that slots are filled in order.
// Progress:   Enqueue is lock-free: a failed CAS means that another one claimed. Dequeue is NOT: a
//             producer that stalls between claiming and filling delays the consumer, which waits
//             for it rather than report empty. Enqueue goes on until the queue is full.
// Linearize:  Enqueue at the CAS L1, Dequeue when others see L2; full at L3: item t-size is still
//             there, and tail is t at least; empty at L4: tail is at head. So full and empty are
//             exact, enqueues included that have claimed and not filled.
// Publish:    value is written before turn is stored at L5 and read after it is loaded at L6;
//             cleared before L2, written after L3. L5 may be seen late: a call that looks for the
//             item sees the tail that was moved before. L2 may not, because nothing else says that
//             there is room, and a consumer that makes room may go on to look whether a producer
//             sleeps for want of it. So each call ends with a store of head that Go's memory model
//             orders after L2 and before all that follows (F).
// ABA/memory: a turn comes back after 2^63 items. A slot is cleared when its item is taken; the
//             ring is one allocation.
// Cost:       enqueue: a CAS and a release; dequeue: a release and an atomic store; a batch: one
//             CAS or atomic store in all, and a release each. Both sides share the slot only,
//             except that the consumer reads tail when it finds its slot not filled. (An exchange
//             on the slot itself instead of L2 and F takes three times as long between two cores.)
// Checked by: TestMPSC, TestBounded…, FuzzMPSC, TestExploreBounded…

// MPSC is a first-in-first-out queue with a bound, for any number of producers and one consumer:
// any goroutine may enqueue, one at a time may dequeue. The consumer's side may pass to another
// goroutine through anything that synchronises. Two goroutines that dequeue at once corrupt the
// queue; a build with the tag freerun_debug panics instead.
//
// Enqueueing is lock-free. Dequeueing waits for a producer that is between claiming its place and
// filling it: some nanoseconds, unless the producer was preempted there. It does not wait for
// items. No call allocates.
//
// An MPSC is made by [NewMPSC], not copied, and used through its pointer; the zero value panics
// when it is used. The queue keeps no dequeued item alive.
type MPSC[T any] struct {
	_        pad.Line
	ring     ring[turnSlot[T]]
	ahead    uint64 // how many positions ahead a call prefetches a slot
	lines    int    // and how many lines of it
	consumer side

	_    pad.Line // producers
	tail atomics.Uint64

	_    pad.Line // consumer only, but for Len
	head atomics.Uint64
	_    pad.Line
}

// NewMPSC returns an empty queue with room for at least capacity items, rounded up to a power of
// two. It panics if capacity is less than 1, or if so many items take more than a terabyte.
func NewMPSC[T any](capacity int) *MPSC[T] { return newMPSC[T](capacity, 0) }

// newMPSC returns a queue whose first item will be at position start.
func newMPSC[T any](capacity int, start uint64) *MPSC[T] {
	q := &MPSC[T]{ring: newTurns[T]("NewMPSC", capacity, start)}
	q.ahead, q.lines = q.ring.ahead(), q.ring.lines()
	q.tail.Store(start)
	q.head.Store(start)
	return q
}

// TryEnqueue adds v, unless the queue is full, and reports whether it did. Any goroutine;
// lock-free.
func (q *MPSC[T]) TryEnqueue(v T) bool {
	var b backoff.Backoff
	for {
		t := q.tail.Load()
		s := q.ring.at(t)
		prefetch.RangeForWrite(uintptr(unsafe.Pointer(q.ring.at(t+q.ahead))), q.lines)
		switch turn := s.turn.Load(); { // L3
		case turn == toFill(t):
			if q.tail.CompareAndSwap(t, t+1) { // L1
				*s.value.ForWrite() = v
				s.turn.Store(toEmpty(t)) // L5
				return true
			}
			b.Retry()
		case past(toFill(t), turn):
			return false
		}
	}
}

// TryDequeue removes and returns the oldest item; ok is false if the queue is empty. Consumer only.
// It may wait for a producer that is in the middle of its call.
func (q *MPSC[T]) TryDequeue() (v T, ok bool) {
	q.consumer.enter("queue: TryDequeue of an MPSC")
	h := q.head.Load()
	s := q.ring.at(h)
	prefetch.RangeForWrite(uintptr(unsafe.Pointer(q.ring.at(h+q.ahead))), q.lines)
	if s.turn.Load() != toEmpty(h) && !q.await(s, h) { // L6
		q.consumer.leave()
		return v, false
	}
	v = *s.value.ForRead()
	s.value.Clear()
	s.turn.Store(toFill(h + q.ring.size())) // L2
	q.head.Store(h + 1)                     // F
	q.consumer.leave()
	return v, true
}

// await waits until the slot of position h is filled. It returns false if no producer is about to
// fill it.
func (q *MPSC[T]) await(s *turnSlot[T], h uint64) bool {
	for b := (backoff.Backoff{}); q.tail.Load() != h; b.Wait() { // L4
		if s.turn.Load() == toEmpty(h) { // L6
			return true
		}
	}
	return false
}

// EnqueueN adds as many items from the front of vs as there is room for, next to each other, and
// returns how many: fewer than len(vs) only if there was no room for more at some instant of the
// call. They cost one CAS in all, and a release each. Any goroutine; lock-free.
func (q *MPSC[T]) EnqueueN(vs []T) int {
	var b backoff.Backoff
	for len(vs) > 0 {
		t := q.tail.Load()
		end := ready(&q.ring, t, len(vs), toFill) // L3
		if end == t {
			if past(toFill(t), q.ring.at(t).turn.Load()) {
				return 0
			}
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

// DequeueN removes the oldest items, at most len(dst), puts them into dst and returns how many:
// none only if the queue is empty, and fewer than len(dst) if there are no more or the producer of
// the next one is in the middle of its call. They cost one atomic store in all, and a release each.
// Consumer only. It may wait as TryDequeue does, but not once it has an item.
func (q *MPSC[T]) DequeueN(dst []T) int {
	q.consumer.enter("queue: DequeueN of an MPSC")
	h := q.head.Load()
	p := h
	for i := range dst {
		s := q.ring.at(p)
		if s.turn.Load() != toEmpty(p) && (p != h || !q.await(s, p)) { // L6
			break
		}
		dst[i] = *s.value.ForRead()
		s.value.Clear()
		s.turn.Store(toFill(p + q.ring.size())) // L2
		p++
	}
	if p != h {
		q.head.Store(p) // F
	}
	q.consumer.leave()
	return int(p - h)
}

// Len returns how many items there are, including those whose producers are in the middle of their
// calls. Any goroutine. It is exact if no other call is under way. Beside calls under way it may be
// greater, by no more items than those calls remove; 0 means that the queue was empty at some
// instant of the call.
func (q *MPSC[T]) Len() int {
	h := q.head.Load()
	return between(h, q.tail.Load(), q.ring.size())
}
