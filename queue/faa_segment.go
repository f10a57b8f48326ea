package queue

import (
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// segment is a part of the queue: slots that are filled from the first to the last, and emptied in
// the same order. It is used again and again; each use is a life.
//
//	alone ──prepare──→ linked ──→ tail: enq opens ──→ enq used up, next linked
//	  ↑                                                        │
//	  └── set aside ←── deq used up ←── head: deq opens ←──────┘
//
// It may be head and tail at once. Between obtain and the compare-and-swap that links it, one
// goroutine has the segment alone. Others may still know it from an earlier life, touch the
// turnstiles, and come and go as visitors.
type segment[T any] struct {
	slots []segmentSlot[T]
	next  atomics.Pointer[segment[T]] // nil until the successor is linked, once in each life

	_   pad.Line
	enq turnstile
	_   pad.Line
	deq turnstile
	_   pad.Line

	// How many goroutines rely on the segment not beginning a new life, or are about to find that
	// they may not rely on it.
	visitors atomics.Int32
	_        pad.Line
}

// segmentShape says how large the segments of a queue are. It does not change.
type segmentShape struct {
	smallest int // slots of the first segment
	largest  int // slots of a segment at most: smallest times a power of two
	spare    int // segments set aside at most
}

const (
	mostSlots  = 1024      // of a segment: linking the next one costs less than 1 ns for each
	mostBytes  = 128 << 10 // of a segment of larger items, unless that were less than leastSlots
	leastSlots = 16
	growth     = 8 // the largest segment has at most growth times the slots of the first
	maxSpare   = 8
)

// shapeFor returns the shape of a queue whose slots have this size.
func shapeFor(slot uintptr) segmentShape {
	largest := mostSlots
	for largest > leastSlots && uintptr(largest)*slot > mostBytes {
		largest /= 2
	}
	return segmentShape{smallest: max(largest/growth, leastSlots), largest: largest, spare: maxSpare}
}

func newSegment[T any](slots int) *segment[T] {
	return &segment[T]{slots: make([]segmentSlot[T], slots)}
}

// visit makes sure that s does not begin a new life until leave, if root leads to s, and reports
// whether it does. A segment is used again only if no root leads to it and it has no visitor after
// that. So either reusable sees the visitor, or the visitor sees that no root leads to the segment.
func (s *segment[T]) visit(root *atomics.Pointer[segment[T]]) bool {
	s.visitors.Add(1)
	if root.Load() == s {
		return true
	}
	s.leave()
	return false
}

func (s *segment[T]) leave() { s.visitors.Add(-1) }

// prepare begins a life of a segment whose slots are all spent or new, with v in the first slot.
// Only by the goroutine that has the segment alone.
//
// deq is sealed first: a call that sees no successor, and afterwards deq unchanged, must have seen
// next in the life to which that deq belongs.
func (s *segment[T]) prepare(base uint64, v *T) {
	s.deq.seal(base)
	s.enq.seal(base)
	s.next.Store(nil)
	s.slots[0].hold(v)
	vacate(s.slots[1:])
}

// withdraw undoes prepare.
func (s *segment[T]) withdraw() {
	s.slots[0].done()
	for i := range s.slots[1:] {
		s.slots[1+i].mark.Store(spent)
	}
}

// reusable reports whether no goroutine relies on the segment, to which no root leads. Once true,
// the answer stays true until the next prepare.
func (s *segment[T]) reusable() bool {
	if s.visitors.Load() != 0 {
		return false
	}
	for i := range s.slots {
		if s.slots[i].mark.Load() != spent {
			return false
		}
	}
	return true
}
