package queue

import (
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// Source:     A. Correia and P. Ramalhete, FAAArrayQueue, 2016, after A. Morrison and Y. Afek, Fast
//             concurrent queues for x86 processors, PPoPP 2013. Ours: values of any size, published
//             by a mark for each slot; segments that live again without hazard pointers on an
//             item's way; segments that grow with the backlog.
// Sketch:     head ─→ segment ─→ … ─→ segment ←─ tail
//             segment: enq, deq, next, slots; slot: mark, value
//             Enqueue: i := enq++; slot i: value = v, swap(mark: →filled)
//                        it was vacant: done; refused: once more
//                      i ≥ n: link a segment with v in slot 0, push tail, open its enq
//             Dequeue: slot deq not filled and enq ≤ deq: empty
//                      i := deq++; take the value of slot i, mark = spent
//                        no value comes: swap(mark: →refused) and once more
//                      i ≥ n: push head, open its deq, set the old one aside; no next: empty
// Invariants: I1 A slot is claimed once by an enqueuer and once by a dequeuer in each life.
//             I2 enq gives slots only of a segment that is linked and has no successor; deq only of
//                the head.
//             I3 next is set once enq is used up; head moves on once deq is.
//             I4 The call that links a successor visits until tail has moved on.
//             I5 A segment begins a life when it is not head, no goroutine visits it (so tail does
//                not lead to it, by I4), and all its slots are spent.
//             NOT invariant: that head is not past tail; that deq ≤ enq.
// Progress:   lock-free. A refusal costs a slot on both sides. An enqueuer that finds a segment
//             used up links the next one with its item in it. A compare-and-swap fails only because
//             another succeeded. A goroutine that stalls keeps one segment from being used again.
// Linearize:  Enqueue at L1 of the turn that succeeds; Dequeue at its L2, or at L1 of its item if
//             that came later; empty at L3 or L4
// Publish:    value before the swap to filled, read after filled is seen; prepare comes before the
//             link, the link before open, and open before a claim of that life; the value is
//             dropped before spent, which reusable has seen
// ABA/memory: turnstiles carry the life in which they are read (base); head, tail and next are
//             changed by visitors only, whose segment does not begin another life. Kept when empty:
//             the segments of head and tail, and 8 set aside.
// Cost:       Enqueue 2 read-modify-writes; Dequeue 2, and a store; linking some 12 for each
//             segment. No allocation in the long run. A slot is the item and 4 bytes, rounded up.
//             enq and deq have cache lines of their own; slots are in order, unpadded
//             (docs/adr/0009-segments.md).
// Checked by: TestSegmentedMPMC…, TestExploreSegmented…, FuzzSegmentedMPMC; the argument is in
//             docs/algorithms/segmented.md

// SegmentedMPMC is the fast first-in-first-out queue without bound. Any goroutine may enqueue and
// dequeue, and none waits for another. Items are plain values of any size, kept in segments, which
// are used again.
//
// The zero value is an empty queue. It must not be copied after first use. All methods are
// lock-free and linearizable, batches item by item. The queue keeps nothing of an item that was
// dequeued. Its memory grows with its contents, in segments of 128 to 1,024 items (fewer large
// ones, 16 at least), which take 128 KiB at most unless 16 items take more. An empty queue keeps a
// segment or two, and at most 8 more that it has used.
//
// An enqueue with a dequeue takes about half as long as through a buffered channel, and 4 atomic
// operations. For many small queues with the least memory, or for a bound on it, there are
// [UnboundedMPMC] and the bounded queues.
type SegmentedMPMC[T any] struct {
	_          pad.Line
	head, tail atomics.Pointer[segment[T]] // the roots; nil in a queue that was never used
	shape      segmentShape                // zero stands for what suits T; immutable
	_          pad.Line
	// Segments out of use, perhaps not reusable yet. The call that swaps one out has it alone.
	aside [maxSpare]atomics.Pointer[segment[T]]
	_     pad.Line
}

// Enqueue adds v. Any goroutine. It does not wait.
func (q *SegmentedMPMC[T]) Enqueue(v T) {
	for {
		s := q.tail.Load()
		if s == nil {
			s = q.begin()
		}
		if i := s.enq.claim().index(); i < uint(len(s.slots)) { // L1
			slot := &s.slots[i]
			if slot.put(&v) {
				return
			}
			slot.done()
		} else if q.extend(s, &v) {
			return
		}
	}
}

// TryEnqueue is Enqueue, and returns true. Any goroutine.
func (q *SegmentedMPMC[T]) TryEnqueue(v T) bool {
	q.Enqueue(v)
	return true
}

// TryDequeue removes and returns the oldest item; ok is false if the queue was empty at some
// instant of the call. Any goroutine. It waits at most a fraction of a microsecond, for an enqueuer
// that is putting its item there.
func (q *SegmentedMPMC[T]) TryDequeue() (v T, ok bool) {
	for {
		s := q.head.Load()
		if s == nil {
			return v, false
		}
		d := s.deq.load()
		if i := d.index(); i < uint(len(s.slots)) {
			if s.slots[i].mark.Load() != filled { // a hint: it avoids a look at the enqueuers' line
				e := s.enq.load() // L3
				if e.base() != d.base() {
					continue // s lives another life by now
				}
				if e.limit() <= i {
					if s.deq.stillOpen(d) {
						return v, false
					}
					continue
				}
			}
			if i = s.deq.claim().index(); i < uint(len(s.slots)) { // L2
				slot := &s.slots[i]
				if !slot.take() && !slot.await() {
					continue
				}
				v = *slot.item()
				slot.done()
				return v, true
			}
		}
		if q.advance(s) {
			return v, false
		}
	}
}

// Len returns how many items there are: a snapshot of one instant of the call, except that each
// call under way at that instant may count or not; so it is exact when there are none. Any
// goroutine. It does not wait; it begins again, as lock-free calls do, if others have moved head or
// tail meanwhile.
func (q *SegmentedMPMC[T]) Len() int {
	for {
		h := q.head.Load()
		if h == nil {
			return 0
		}
		d := h.deq.load()
		t := q.tail.Load()
		if t == nil {
			return 0
		}
		e := t.enq.load()
		if q.tail.Load() == t && q.head.Load() == h && h.deq.load() == d { // as when e was loaded
			return q.between(h, d, t, e)
		}
	}
}

// between returns how many slots there are from d, of the head h, to e, of the tail t.
func (q *SegmentedMPMC[T]) between(h *segment[T], d ticket, t *segment[T], e ticket) int {
	first, last := 0, min(int(e.limit()), len(t.slots))
	if !d.isSealed() {
		first = min(int(d.index()), len(h.slots))
	}
	segments := int64((e.base()-d.base())<<baseShift) >> baseShift // base may have wrapped around
	return max(0, int(segments)*q.shaped().smallest+last-first)
}
