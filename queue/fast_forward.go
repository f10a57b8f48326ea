package queue

import (
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// Source:     J. Giacomoni, T. Moseley and M. Vachharajani, FastForward for efficient pipeline
//             parallelism, PPoPP 2008: each slot tells whether it is full, so the sides share no
//             index. The ring is of L. Lamport, Specifying concurrent program modules, TOPLAS 1983.
//             Ours: a slot's word names the position up to which slots are full, or free, from
//             there on. So one store publishes a batch, and each side remembers how far the other
//             side's last word reaches.
// Sketch:     slot:  word, value       word = 2·end+1: full from this position to end
//                                      word = 2·end:   free from this position to end
//             enqueue at t:  if t == room { word of t says free to room, or: full }
//                            value = v; word = full to t+1                                     (L1)
//             dequeue at h:  if h == ready { word of h says full to ready, or: empty }
//                            v = value; word = free to h+1+size                                (L2)
//             a batch fills its slots first, and stores the word of the first one last
// Invariants: I1 head ≤ tail ≤ head+size.
//             I2 ready ≤ tail and room ≤ head+size. Either may lag behind its own side's position,
//                and then says nothing.
//             I3 The slots of [head, tail) are the consumer's, the others the producer's, so the
//                two never write the same word at once.
//             I4 A side that has used up the slots that it knows (ready, or room) comes to a slot
//             with which a batch of the other side begins. So the word that it needs is in that
//             slot.
//             NOT invariant: that the word of any other slot means anything. A word left by an
//                earlier round has an end that is not past the position at which it is read,
//                because no batch is longer than the ring.
// Progress:   wait-free, both sides: no loop but the one over a batch. If a side stalls, the other
//             goes on until the queue is full or empty.
// Linearize:  Enqueue at L1, Dequeue at L2, a whole batch at one of them; full at L3, empty at L4.
//             A short batch is two instants: there was no more at the last L3, or L4, and the slots
//             that it found move at L1, or L2. The other side may move in between
//             (docs/adr/0043-short-batches.md).
// Publish:    values are written before L1 and read after L4; cleared before L2 and written again
//             after L3. The fields of a side are its own; another goroutine may take the side over
//             through anything that synchronises.
// ABA/memory: positions wrap around after 2^63 items, and a word that is left over may then be
//             taken for a new one: at 1 ns an item, after 292 years. A slot is cleared when its
//             item is taken; the ring is one allocation.
// Cost:       one atomic store for an item or for a batch, on the line of the item's own slot;
//             nothing else is shared. tail and head are relaxed words, because only Len reads them
//             from elsewhere. L1 and L2 are atomic stores and no releases:
//             docs/algorithms/bounded.md says why, and compares with sharing two indices.
// Checked by: TestSPSC, TestBounded…, FuzzSPSC, TestExploreBounded…, TestExploreLateIndex (what a
//             release would break)

// SPSC is a first-in-first-out queue with a bound, for one producer and one consumer: one goroutine
// at a time may enqueue, and one at a time may dequeue. Either side may pass to another goroutine
// through anything that synchronises, such as a channel. Calls of two goroutines on one side at
// once corrupt the queue; a build with the tag freerun_debug panics instead.
//
// All methods are wait-free and allocate nothing. An SPSC is made by [NewSPSC], not copied, and
// used through its pointer; the zero value panics when it is used. The queue keeps no dequeued item
// alive.
type SPSC[T any] struct {
	_        pad.Line
	ring     ring[runSlot[T]]
	producer side
	consumer side

	_    pad.Line // producer only, but for Len
	tail atomics.RelaxedUint64
	room atomics.Plain[uint64]

	_     pad.Line // consumer only, but for Len
	head  atomics.RelaxedUint64
	ready atomics.Plain[uint64]
	_     pad.Line
}

// runSlot is a slot whose word describes a run of slots that begins with it.
type runSlot[T any] struct {
	word  atomics.Uint64
	value atomics.Plain[T]
}

// fullTo and freeTo make the word of a run.
func fullTo(end uint64) (word uint64) { return 2*end + 1 }
func freeTo(end uint64) (word uint64) { return 2 * end }

// fullFrom returns how many slots from position at on are full according to word, or 0.
func fullFrom(at, word uint64) uint64 {
	if n := word - 2*at; n&1 != 0 && int64(n) > 0 {
		return n >> 1
	}
	return 0
}

// freeFrom returns how many slots from position at on are free according to word, or 0.
func freeFrom(at, word uint64) uint64 {
	if n := word - 2*at; n&1 == 0 && int64(n) > 0 {
		return n >> 1
	}
	return 0
}

// NewSPSC returns an empty queue with room for at least capacity items, rounded up to a power of
// two. It panics if capacity is less than 1, or if so many items take more than a terabyte.
func NewSPSC[T any](capacity int) *SPSC[T] { return newSPSC[T](capacity, 0) }

// newSPSC returns a queue whose first item will be at position start.
func newSPSC[T any](capacity int, start uint64) *SPSC[T] {
	q := &SPSC[T]{ring: newRing[runSlot[T]]("NewSPSC", capacity)}
	for i := range q.ring.size() {
		q.ring.at(i).word.Store(freeTo(start))
	}
	q.tail.Add(start)
	q.head.Add(start)
	q.room.Set(start + q.ring.size())
	q.ready.Set(start)
	return q
}

// TryEnqueue adds v, unless the queue is full, and reports whether it did. Producer only.
func (q *SPSC[T]) TryEnqueue(v T) bool {
	q.producer.enter("queue: TryEnqueue of an SPSC")
	t := q.tail.Load()
	s := q.ring.at(t)
	if !past(q.room.Get(), t) {
		if w := s.word.Load(); w != freeTo(t+1) { // L3
			n := freeFrom(t, w)
			if n == 0 {
				q.producer.leave()
				return false
			}
			q.room.Set(t + n)
		}
	}
	*s.value.ForWrite() = v
	q.tail.Add(1)
	s.word.Store(fullTo(t + 1)) // L1
	q.producer.leave()
	return true
}

// TryDequeue removes and returns the oldest item; ok is false if the queue is empty. Consumer only.
func (q *SPSC[T]) TryDequeue() (v T, ok bool) {
	q.consumer.enter("queue: TryDequeue of an SPSC")
	h := q.head.Load()
	s := q.ring.at(h)
	if !past(q.ready.Get(), h) {
		if w := s.word.Load(); w != fullTo(h+1) { // L4
			n := fullFrom(h, w)
			if n == 0 {
				q.consumer.leave()
				return v, false
			}
			q.ready.Set(h + n)
		}
	}
	v = *s.value.ForRead()
	s.value.Clear()
	q.head.Add(1)
	s.word.Store(freeTo(h + 1 + q.ring.size())) // L2
	q.consumer.leave()
	return v, true
}

// EnqueueN adds as many items from the front of vs as it finds room for, all at one instant, and
// returns how many: fewer than len(vs) only if there was room for no more at some instant of the
// call. It may find the places that the consumer frees meanwhile, or not. It costs one atomic
// operation in all, and so a fraction of as many calls of TryEnqueue. Producer only.
func (q *SPSC[T]) EnqueueN(vs []T) int {
	q.producer.enter("queue: EnqueueN of an SPSC")
	t := q.tail.Load()
	first := q.ring.at(t)
	end, room := t, later(q.room.Get(), t)
	for i := range vs {
		s := q.ring.at(end)
		if end == room {
			n := freeFrom(end, s.word.Load()) // L3
			if n == 0 {
				break
			}
			room += n
		}
		*s.value.ForWrite() = vs[i]
		end++
	}
	if end != t {
		q.room.Set(room)
		q.tail.Add(end - t)
		first.word.Store(fullTo(end)) // L1
	}
	q.producer.leave()
	return int(end - t)
}

// DequeueN removes the oldest items, at most len(dst), all at one instant, puts them into dst and
// returns how many: fewer than len(dst) only if there were no more at some instant of the call. It
// may find the items that the producer adds meanwhile, or not. It costs one atomic operation in
// all. Consumer only.
func (q *SPSC[T]) DequeueN(dst []T) int {
	q.consumer.enter("queue: DequeueN of an SPSC")
	h := q.head.Load()
	first := q.ring.at(h)
	end, ready := h, later(q.ready.Get(), h)
	for i := range dst {
		s := q.ring.at(end)
		if end == ready {
			n := fullFrom(end, s.word.Load()) // L4
			if n == 0 {
				break
			}
			ready += n
		}
		dst[i] = *s.value.ForRead()
		s.value.Clear()
		end++
	}
	if end != h {
		q.ready.Set(ready)
		q.head.Add(end - h)
		first.word.Store(freeTo(end + q.ring.size())) // L2
	}
	q.consumer.leave()
	return int(end - h)
}

// Len returns how many items there are. Any goroutine. It is exact for a caller that is
// synchronised with both sides. Beside calls under way it is an estimate: more or fewer by no more
// items than those calls add and remove.
func (q *SPSC[T]) Len() int {
	h := q.head.Load()
	return between(h, q.tail.Load(), q.ring.size())
}
