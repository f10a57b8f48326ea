package queue

// NewSegmented returns a queue whose segments have from smallest to largest slots, and whose first
// turnstiles begin at base.
func NewSegmented[T any](smallest, largest int, base uint64) *SegmentedMPMC[T] {
	q := &SegmentedMPMC[T]{shape: segmentShape{smallest: smallest, largest: largest, spare: 2}}
	base &= baseMask
	s := newSegment[T](smallest)
	s.enq.seal(base)
	s.enq.open(base, 0)
	s.deq.seal(base)
	s.deq.open(base, 0)
	q.head.Store(s)
	q.tail.Store(s)
	return q
}

// MaxSpareSegments is how many segments a queue sets aside.
const MaxSpareSegments = maxSpare

// Segments returns how many segments are in use, set aside, and how many slots the last one has. No
// other call may be under way.
func (q *SegmentedMPMC[T]) Segments() (linked, spare, slots int) {
	for s := q.head.Load(); s != nil; s = s.next.Load() {
		linked++
		slots = len(s.slots)
	}
	for i := range q.aside {
		if q.aside[i].Load() != nil {
			spare++
		}
	}
	return linked, spare, slots
}

// Tidy reports whether all segments set aside can be used again, as they can when no call is under
// way.
func (q *SegmentedMPMC[T]) Tidy() bool {
	for i := range q.aside {
		if s := q.aside[i].Load(); s != nil && !s.reusable() {
			return false
		}
	}
	return true
}

// ClaimForTest makes the first step of Enqueue, and returns the second one, which reports whether
// the item will be found.
func (q *SegmentedMPMC[T]) ClaimForTest() func(v T) bool {
	s := q.tail.Load()
	slot := &s.slots[s.enq.claim().index()]
	return func(v T) bool {
		found := slot.put(&v)
		if !found {
			slot.done()
		}
		return found
	}
}

// A SegmentedFlaw is a way in which the algorithm could be wrong.
type SegmentedFlaw int

// The flaws.
const (
	ReusesUnspent   SegmentedFlaw = iota + 1 // begins a new life of a segment with slots in use
	IgnoresVisitors                          // begins a new life of a segment that has visitors
	OpensEnqEarly                            // opens enq before the segment is linked
	OpensDeqEarly                            // opens deq before the segment is the head
	MixesLives                               // compares deq of one life with enq of another
)

// FlawedSegmented is a SegmentedMPMC with a flaw.
type FlawedSegmented struct {
	*SegmentedMPMC[int]
	Flaw SegmentedFlaw
}

// TryEnqueue is correct except for the flaw.
func (q FlawedSegmented) TryEnqueue(v int) bool {
	switch q.Flaw {
	case ReusesUnspent:
		for i := range q.aside {
			if s := q.aside[i].Load(); s != nil {
				for j := range s.slots {
					s.slots[j].mark.Store(spent)
				}
			}
		}
	case IgnoresVisitors:
		for i := range q.aside {
			if s := q.aside[i].Load(); s != nil {
				n := s.visitors.Swap(0)
				defer s.visitors.Add(n)
			}
		}
	case OpensEnqEarly:
		for !q.enqueueTooEarly(v) {
		}
		return true
	}
	q.Enqueue(v)
	if t := q.tail.Load(); q.Flaw == OpensDeqEarly {
		t.deq.open(t.enq.load().base(), 0)
	}
	return true
}

// enqueueTooEarly is one turn of Enqueue.
func (q FlawedSegmented) enqueueTooEarly(v int) (taken bool) {
	s := q.tail.Load()
	if i := s.enq.claim().index(); i < uint(len(s.slots)) {
		slot := &s.slots[i]
		if !slot.put(&v) {
			slot.done()
			return false
		}
		return true
	}
	if !s.visit(&q.tail) {
		return false
	}
	defer s.leave()
	e := s.enq.load()
	if e.index() < uint(len(s.slots)) {
		return false
	}
	if s.next.Load() == nil {
		n := q.obtain(len(s.slots))
		base := (e.base() + 1) & baseMask
		n.prepare(base, &v)
		n.enq.open(base, 1)
		if taken = s.next.CompareAndSwap(nil, n); !taken {
			n.withdraw()
			q.setAside(n)
		}
	}
	q.tail.CompareAndSwap(s, s.next.Load())
	return taken
}

// TryDequeue is correct except for the flaw.
func (q FlawedSegmented) TryDequeue() (int, bool) {
	if q.Flaw == MixesLives {
		s := q.head.Load()
		d := s.deq.load()
		if i := d.index(); i < uint(len(s.slots)) && s.slots[i].mark.Load() != filled && s.enq.load().limit() <= i {
			return 0, false
		}
	}
	return q.SegmentedMPMC.TryDequeue()
}
