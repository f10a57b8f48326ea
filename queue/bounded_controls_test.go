//go:build explore

package queue_test

import (
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// The controls here are bounded rings with the mistakes that the real ones avoid. The explorer must
// find each.

// single makes a bounded out of a ring that has no batches.
type single struct{ noBatches }

type noBatches interface {
	TryEnqueue(v int) bool
	TryDequeue() (v int, ok bool)
	Len() int
	Cap() int
}

func (q single) EnqueueN(vs []int) (n int) {
	for n < len(vs) && q.TryEnqueue(vs[n]) {
		n++
	}
	return n
}

func (q single) DequeueN(dst []int) (n int) {
	for n < len(dst) {
		v, ok := q.TryDequeue()
		if !ok {
			break
		}
		dst[n], n = v, n+1
	}
	return n
}

// published is D. Vyukov's ring as he published it: a slot's turn counts by one for each position,
// and a slot that is not ready means full, or empty.
type published struct {
	slots      []publishedSlot
	tail, head atomics.Uint64
}

type publishedSlot struct {
	turn  atomics.Uint64
	value atomics.Plain[int]
}

func newPublished(capacity int) bounded {
	q := &published{slots: make([]publishedSlot, capacity)}
	for i := range q.slots {
		q.slots[i].turn.Store(uint64(i))
	}
	return single{q}
}

func (q *published) TryEnqueue(v int) bool {
	for {
		t := q.tail.Load()
		s := &q.slots[t%uint64(len(q.slots))]
		switch turn := s.turn.Load(); {
		case turn == t && q.tail.CompareAndSwap(t, t+1):
			s.value.Set(v)
			s.turn.Store(t + 1)
			return true
		case turn < t:
			return false
		}
	}
}

func (q *published) TryDequeue() (v int, ok bool) {
	for {
		h := q.head.Load()
		s := &q.slots[h%uint64(len(q.slots))]
		switch turn := s.turn.Load(); {
		case turn == h+1 && q.head.CompareAndSwap(h, h+1):
			v = s.value.Take()
			s.turn.Store(h + uint64(len(q.slots)))
			return v, true
		case turn < h+1:
			return 0, false
		}
	}
}

func (q *published) Len() int { return int(q.tail.Load() - q.head.Load()) }
func (q *published) Cap() int { return len(q.slots) }

// TestExplorePublishedSaysEmpty finds that the published ring reports empty while its first item is
// claimed and not filled yet, though a second item went in.
func TestExplorePublishedSaysEmpty(t *testing.T) {
	explore.MustFail(t, 2, boundedCase{make: newPublished}.few(2, 0, 2, 1, 1, 1))
}

// TestExplorePublishedSaysFull finds the same on the other side.
func TestExplorePublishedSaysFull(t *testing.T) {
	explore.MustFail(t, 2, boundedCase{make: newPublished}.few(2, 2, 1, 1, 2, 1))
}

// late is a ring for one item whose indices others may see late. A release is enough for the item,
// and not for a thread that tells first and looks afterwards.
type late struct {
	value      atomics.Plain[int]
	tail, head atomics.Release[uint64]
}

func (q *late) TryEnqueue(v int) bool {
	t := q.tail.Load()
	if t != q.head.Load() {
		return false
	}
	q.value.Set(v)
	q.tail.Store(t + 1)
	return true
}

func (q *late) TryDequeue() (v int, ok bool) {
	h := q.head.Load()
	if h == q.tail.Load() {
		return 0, false
	}
	v = q.value.Take()
	q.head.Store(h + 1)
	return v, true
}

func (q *late) Len() int { return int(q.tail.Load() - q.head.Load()) }
func (q *late) Cap() int { return 1 }

// TestExploreLateIndex finds that two threads that enqueue and then look can miss each other, which
// is why the words of the real rings that decide about full and empty are stored by exchanges.
func TestExploreLateIndex(t *testing.T) {
	explore.MustFail(t, explore.Unbounded, tellThenLook(func(int) bounded { return single{&late{}} }))
}
