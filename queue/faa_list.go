package queue

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/backoff"
)

// shaped returns the shape of the queue.
func (q *SegmentedMPMC[T]) shaped() segmentShape {
	if q.shape.smallest != 0 {
		return q.shape
	}
	return shapeFor(unsafe.Sizeof(segmentSlot[T]{}))
}

// begin makes the first segment and returns the tail.
func (q *SegmentedMPMC[T]) begin() *segment[T] {
	s := q.head.Load()
	if s == nil {
		q.head.CompareAndSwap(nil, newSegment[T](q.shaped().smallest))
		s = q.head.Load()
	}
	q.tail.CompareAndSwap(nil, s) // head does not move while there is no tail
	return q.tail.Load()
}

// A call that got no slot from the enq of s calls extend. It opens enq, or makes tail lead to the
// next segment. It reports whether v went into a new segment.
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

// link gives s a successor that holds v. The caller visits s, whose enq is used up in the life that
// began at base. link reports false, and has done nothing with v, if there is a successor already.
func (q *SegmentedMPMC[T]) link(s *segment[T], base uint64, v *T) bool {
	// Another visitor is probably linking: give it time, or each makes a segment, all but one in
	// vain.
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
	shape := q.shaped()
	slots := len(s.slots)
	if q.head.Load() != s { // the backlog is longer than a segment
		slots = min(2*slots, shape.largest)
	}
	n := q.obtain(slots)
	base = (base + uint64(len(s.slots)/shape.smallest)) & baseMask
	n.prepare(base, v)
	if s.next.CompareAndSwap(nil, n) { // L1
		n.enq.open(base, 1) // open knows whether others have done that by now
		return true
	}
	n.withdraw()
	q.setAside(n)
	return false
}

// A call that got no slot from the deq of s calls advance. It opens deq, or makes head lead to the
// next segment. It reports whether the queue was empty instead, at some instant: there was no next
// segment.
func (q *SegmentedMPMC[T]) advance(s *segment[T]) (empty bool) {
	d := s.deq.load()
	if !d.isSealed() && d.index() >= uint(len(s.slots)) && s.next.Load() == nil { // L4
		now := s.deq.load() // of the same life? Then next was nil in it, and s the only segment
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

// setAside keeps s, to which no root leads, until obtain takes it.
func (q *SegmentedMPMC[T]) setAside(s *segment[T]) {
	spare := q.shaped().spare
	for i := range spare {
		if q.aside[i].Load() == nil && q.aside[i].CompareAndSwap(nil, s) {
			return
		}
	}
	// All places are taken. s replaces a segment whose slots have left the caches, or in which a
	// goroutine has stalled.
	q.aside[s.enq.load().base()%uint64(spare)].Swap(s)
}

// obtain returns a segment of at least the given number of slots, for the caller alone. It uses one
// that was set aside, and drops those that are too small, or else makes one.
func (q *SegmentedMPMC[T]) obtain(slots int) *segment[T] {
	for i := range q.shaped().spare {
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
