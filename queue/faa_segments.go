package queue

import (
	_ "sync/atomic" // see internal/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/atomics"
	"github.com/freerun-go/freerun/internal/pad"
)

type SegmentedMPMC[T any] struct {
	_          pad.Line
	head, tail atomics.Pointer[segment[T]] // written once for each segment
	shape      segmentShape
	_          pad.Line
	aside      [maxSpare]atomics.Pointer[segment[T]]
	_          pad.Line
}

// Enqueue adds v.
func (q *SegmentedMPMC[T]) Enqueue(v T) {
	for {
		s := q.tail.Load()
		if s == nil {
			s = q.begin()
		}
		if i := s.enq.claim().index(); i < uint(len(s.slots)) { // L1
			if s.slots[i].put(&v) {
				return
			}
		} else if q.extend(s, &v) {
			return
		}
	}
}

// TryEnqueue adds v and returns true.
func (q *SegmentedMPMC[T]) TryEnqueue(v T) bool {
	q.Enqueue(v)
	return true
}

// TryDequeue removes and returns the oldest item.
func (q *SegmentedMPMC[T]) TryDequeue() (v T, ok bool) {
	for {
		s := q.head.Load()
		if s == nil {
			return v, false
		}
		d := s.deq.load()
		if i := d.index(); i < uint(len(s.slots)) {
			if s.slots[i].mark.Load() != filled {
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
				if slot.mark.Load() != filled && !slot.await() {
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

// Len returns how many items there are, counting a call that is under way as done or not; a snapshot. Any goroutine.
func (q *SegmentedMPMC[T]) Len() int {
	h := q.head.Load()
	t := q.tail.Load()
	if h == nil || t == nil {
		return 0
	}
	d, e := h.deq.load(), t.enq.load()
	first, last := 0, min(int(e.limit()), len(t.slots))
	if !d.isSealed() {
		first = min(int(d.index()), len(h.slots))
	}
	segments := int64((e.base()-d.base())<<baseShift) >> baseShift // the difference may have wrapped around
	return max(0, int(segments)*q.shape.get().smallest+last-first)
}

// segmentShape is what segments a queue makes. It does not change.
type segmentShape struct {
	smallest int // slots of the first segment; 0 stands for usualShape
	largest  int // slots of a segment at most
	spare    int // segments set aside at most
}

var usualShape = segmentShape{smallest: 128, largest: 1024, spare: maxSpare}

const maxSpare = 8

func (s *segmentShape) get() *segmentShape {
	if s.smallest == 0 {
		return &usualShape
	}
	return s
}
