package deque

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/conformance"
	"github.com/freerun-go/freerun/internal/verify/linear"
)

// pointing is a deque of pointers that takes the ladder's values.
func pointing[T any](d owner[*T], t thief[*T]) conformance.Ends[T] {
	value := func(p *T) (v T) {
		if p != nil {
			v = *p
		}
		return v
	}
	return conformance.Ends[T]{
		Push: func(v T) bool { return d.TryPush(&v) },
		Pop: func() (T, bool) {
			p, ok := d.Pop()
			return value(p), ok
		},
		Thief: func() func() (T, conformance.Outcome) {
			return func() (T, conformance.Outcome) {
				p, outcome := t.Steal()
				return value(p), conformance.Outcome(outcome)
			}
		},
		Len: d.Len,
	}
}

// boxes is a deque of pointers to boxes, which the ladder wants to see collected.
func boxes(d owner[*conformance.Box], t thief[*conformance.Box]) conformance.Ends[*conformance.Box] {
	return conformance.Ends[*conformance.Box]{
		Push: d.TryPush,
		Pop:  d.Pop,
		Thief: func() func() (*conformance.Box, conformance.Outcome) {
			return func() (*conformance.Box, conformance.Outcome) {
				p, outcome := t.Steal()
				return p, conformance.Outcome(outcome)
			}
		},
		Len: d.Len,
	}
}

func newGrowable[T any](int) conformance.Ends[T] {
	d := NewGrowable[T]()
	return pointing(d, d.Thief())
}

var growableSpec = conformance.DequeSpec{
	New:     newGrowable[int],
	NewWide: newGrowable[conformance.Wide],
	NewBoxed: func(int) conformance.Ends[*conformance.Box] {
		d := NewGrowable[conformance.Box]()
		return boxes(d, d.Thief())
	},
	Retry: linear.RetryTaken,
	NearOverflow: func(int) conformance.Ends[int] {
		d := growableFrom(firstSize, 1<<32-20)
		return pointing(d, d.Thief())
	},
}

func TestGrowable(t *testing.T) { conformance.Deque(t, growableSpec) }
func FuzzGrowable(f *testing.F) { conformance.FuzzDeque(f, growableSpec) }

func newBounded[T any](capacity int) conformance.Ends[T] {
	d := NewBounded[T](capacity)
	return pointing(d, d.Thief())
}

var boundedSpec = conformance.DequeSpec{
	New:     newBounded[int],
	NewWide: newBounded[conformance.Wide],
	NewBoxed: func(capacity int) conformance.Ends[*conformance.Box] {
		d := NewBounded[conformance.Box](capacity)
		return boxes(d, d.Thief())
	},
	Bounded: true,
	Retry:   linear.RetryTaken,
	NearOverflow: func(capacity int) conformance.Ends[int] {
		d := boundedFrom(capacity, 1<<32-20)
		return pointing(d, d.Thief())
	},
}

func TestBounded(t *testing.T) { conformance.Deque(t, boundedSpec) }
func FuzzBounded(f *testing.F) { conformance.FuzzDeque(f, boundedSpec) }

func ofValues[T any](d *Hybrid[T]) conformance.Ends[T] {
	return conformance.Ends[T]{
		Push: func(v T) bool { d.Push(v); return true },
		Pop:  d.Pop,
		Thief: func() func() (T, conformance.Outcome) {
			return func() (T, conformance.Outcome) {
				v, outcome := d.Thief().Steal()
				return v, conformance.Outcome(outcome)
			}
		},
		Len: d.Len,
	}
}

func newHybrid[T any](int) conformance.Ends[T] { return ofValues(NewHybrid[T]()) }

var hybridSpec = conformance.DequeSpec{
	New:          newHybrid[int],
	NewWide:      newHybrid[conformance.Wide],
	NewBoxed:     newHybrid[*conformance.Box],
	Retry:        linear.RetryBusy,
	NotLockFree:  true,
	NearOverflow: func(int) conformance.Ends[int] { return ofValues(hybridFrom(firstSize, 1<<31-20)) },
}

func TestHybrid(t *testing.T) { conformance.Deque(t, hybridSpec) }
func FuzzHybrid(f *testing.F) { conformance.FuzzDeque(f, hybridSpec) }
