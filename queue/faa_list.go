package queue

import "github.com/freerun-go/freerun/internal/backoff"

// begin makes the first segment and returns the tail.
func (q *SegmentedMPMC[T]) begin() *segment[T] {
	s := q.head.Load()
	if s == nil {
		q.head.CompareAndSwap(nil, newSegment[T](q.shape.get().smallest))
		s = q.head.Load()
	}
	q.tail.CompareAndSwap(nil, s) // head does not move while there is no tail
	return q.tail.Load()
}

// extend is for who found that enq of s gives no slot: it opens it, or moves on to the next segment. It reports whether v went
// with the new segment.
func (q *SegmentedMPMC[T]) extend(s *segment[T], v *T) (taken bool) {
	if !s.visit(&q.tail) {
		return false
	}
	switch e := s.enq.load(); {
	case e.isSealed():
		s.enq.open(e.base(), 1)
	case e.index() >= uint(len(s.slots)):
		taken = q.link(s, e.base(), v)
		q.tail.CompareAndSwap(s, s.next.Load())
	}
	s.leave()
	return taken
}

// link
func (q *SegmentedMPMC[T]) link(s *segment[T], base uint64, v *T) bool {
	if s.visitors.Load() > 1 {
		var b backoff.Backoff
		for range patience {
			if s.next.Load() != nil {
				return false
			}
			b.Retry()
		}
	}
	if s.next.Load() != nil {
		return false
	}
	shape := q.shape.get()
	slots := len(s.slots)
	if q.head.Load() != s {
		slots = min(2*slots, shape.largest)
	}
	n := q.obtain(slots)
	base = (base + uint64(len(s.slots)/shape.smallest)) & baseMask
	n.prepare(base, v)
	if s.next.CompareAndSwap(nil, n) { // L1
		n.enq.open(base, 1)
		return true
	}
	n.withdraw()
	q.setAside(n)
	return false
}

// advance is for who found that deq of s gives no slot: it opens it, or moves on to the next segment. It reports that the queue is empty if
// there is none.
func (q *SegmentedMPMC[T]) advance(s *segment[T]) (empty bool) {
	d := s.deq.load()
	if !d.isSealed() && d.index() >= uint(len(s.slots)) && s.next.Load() == nil { // L4
		now := s.deq.load()
		if !now.isSealed() && now.base() == d.base() {
			return true
		}
	}
	if !s.visit(&q.head) {
		return false
	}
	moved := false
	switch d = s.deq.load(); {
	case d.isSealed():
		s.deq.open(d.base(), 0)
	case d.index() >= uint(len(s.slots)):
		if n := s.next.Load(); n != nil {
			moved = q.head.CompareAndSwap(s, n)
		}
	}
	s.leave()
	if moved {
		q.setAside(s)
	}
	return false
}

// setAside keeps s, which is in no root, for when a segment is wanted.
func (q *SegmentedMPMC[T]) setAside(s *segment[T]) {
	spare := q.shape.get().spare
	for i := range spare {
		if q.aside[i].Load() == nil && q.aside[i].CompareAndSwap(nil, s) {
			return
		}
	}
	q.aside[s.enq.load().base()%uint64(spare)].Swap(s)
}

// obtain returns a segment that the caller has alone.
func (q *SegmentedMPMC[T]) obtain(slots int) *segment[T] {
	for i := range q.shape.get().spare {
		s := q.aside[i].Load()
		if s == nil || !q.aside[i].CompareAndSwap(s, nil) {
			continue
		}
		if len(s.slots) < slots {
			continue
		}
		if s.reusable() {
			return s
		}
		q.aside[i].CompareAndSwap(nil, s)
	}
	return newSegment[T](slots)
}
