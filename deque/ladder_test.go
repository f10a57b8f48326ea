package deque

import (
	"testing"

	"github.com/freerun-go/freerun/internal/ladder"
	"github.com/freerun-go/freerun/internal/linear"
)

// pointing is a deque of pointers, which the ladder puts values into.
func pointing[T any](d Owner[*T], t Thief[*T]) ladder.Ends[T] {
	value := func(p *T) (v T) {
		if p != nil {
			v = *p
		}
		return v
	}
	return ladder.Ends[T]{
		Push: func(v T) bool { return d.TryPush(&v) },
		Pop: func() (T, bool) {
			p, ok := d.Pop()
			return value(p), ok
		},
		Thief: func() func() (T, ladder.Outcome) {
			return func() (T, ladder.Outcome) {
				p, outcome := t.Steal()
				return value(p), ladder.Outcome(outcome)
			}
		},
		Len: d.Len,
	}
}

// boxes is a deque of pointers that are what the ladder wants to see collected.
func boxes(d Owner[*ladder.Box], t Thief[*ladder.Box]) ladder.Ends[*ladder.Box] {
	return ladder.Ends[*ladder.Box]{
		Push: d.TryPush,
		Pop:  d.Pop,
		Thief: func() func() (*ladder.Box, ladder.Outcome) {
			return func() (*ladder.Box, ladder.Outcome) {
				p, outcome := t.Steal()
				return p, ladder.Outcome(outcome)
			}
		},
		Len: d.Len,
	}
}

func newGrowable[T any](int) ladder.Ends[T] {
	d := NewGrowable[T]()
	return pointing(d, d.Thief())
}

var growableSpec = ladder.DequeSpec{
	New:     newGrowable[int],
	NewWide: newGrowable[ladder.Wide],
	NewBoxed: func(int) ladder.Ends[*ladder.Box] {
		d := NewGrowable[ladder.Box]()
		return boxes(d, d.Thief())
	},
	Retry: linear.RetryTaken,
	NearOverflow: func(int) ladder.Ends[int] {
		d := growableFrom(firstSize, 1<<32-20)
		return pointing(d, d.Thief())
	},
}

func TestGrowable(t *testing.T) { ladder.Deque(t, growableSpec) }
func FuzzGrowable(f *testing.F) { ladder.FuzzDeque(f, growableSpec) }

func newBounded[T any](capacity int) ladder.Ends[T] {
	d := NewBounded[T](capacity)
	return pointing(d, d.Thief())
}

var boundedSpec = ladder.DequeSpec{
	New:     newBounded[int],
	NewWide: newBounded[ladder.Wide],
	NewBoxed: func(capacity int) ladder.Ends[*ladder.Box] {
		d := NewBounded[ladder.Box](capacity)
		return boxes(d, d.Thief())
	},
	Bounded: true,
	Retry:   linear.RetryTaken,
	NearOverflow: func(capacity int) ladder.Ends[int] {
		d := boundedFrom(capacity, 1<<32-20)
		return pointing(d, d.Thief())
	},
}

func TestBounded(t *testing.T) { ladder.Deque(t, boundedSpec) }
func FuzzBounded(f *testing.F) { ladder.FuzzDeque(f, boundedSpec) }

func ofValues[T any](d *Hybrid[T]) ladder.Ends[T] {
	return ladder.Ends[T]{
		Push: func(v T) bool { d.Push(v); return true },
		Pop:  d.Pop,
		Thief: func() func() (T, ladder.Outcome) {
			return func() (T, ladder.Outcome) {
				v, outcome := d.Thief().Steal()
				return v, ladder.Outcome(outcome)
			}
		},
		Len: d.Len,
	}
}

func newHybrid[T any](int) ladder.Ends[T] { return ofValues(NewHybrid[T]()) }

var hybridSpec = ladder.DequeSpec{
	New:          newHybrid[int],
	NewWide:      newHybrid[ladder.Wide],
	NewBoxed:     newHybrid[*ladder.Box],
	Retry:        linear.RetryBusy,
	NotLockFree:  true,
	NearOverflow: func(int) ladder.Ends[int] { return ofValues(hybridFrom(firstSize, 1<<31-20)) },
}

func TestHybrid(t *testing.T) { ladder.Deque(t, hybridSpec) }
func FuzzHybrid(f *testing.F) { ladder.FuzzDeque(f, hybridSpec) }
