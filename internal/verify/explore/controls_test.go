package explore

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/memory"
)

// The controls here are the mistakes that the lecture on lock-free runtimes shows first. Controls
// that need a container are in the container's package. If exploring no longer finds one of them,
// it has become blind to that kind of mistake.

type link struct {
	next  memory.Pointer[link]
	value int
}

// naive is the queue without a sentinel: two pointers that are swung one after the other.
type naive struct {
	first, last memory.Pointer[link]
}

func (q *naive) enqueue(v int) {
	n := &link{value: v}
	var last *link
	for {
		if last = q.last.Load(); q.last.CompareAndSwap(last, n) { // e1
			break
		}
	}
	if last != nil {
		last.next.CompareAndSwap(nil, n) // e2
	} else {
		q.first.CompareAndSwap(nil, n) // e3
	}
}

func (q *naive) dequeue() (int, bool) {
	for {
		first := q.first.Load()
		if first == nil { // d1
			return 0, false
		}
		next := first.next.Load()
		if q.first.CompareAndSwap(first, next) { // d2
			if next == nil {
				q.last.CompareAndSwap(first, nil) // d3
			}
			return first.value, true
		}
	}
}

// TestExploreNaiveQueue finds the interleaving e1, d2, e2: an enqueue links its item behind one
// that a dequeue takes away meanwhile, and the new item is lost for good.
func TestExploreNaiveQueue(t *testing.T) {
	MustFail(t, 1, func(r *Run) {
		var q naive
		q.enqueue(1)
		taken := 0
		r.Go("enqueuer", func() { q.enqueue(2) })
		r.Go("dequeuer", func() {
			if _, ok := q.dequeue(); ok {
				taken++
			}
		})
		r.After(func() {
			for {
				if _, ok := q.dequeue(); !ok {
					break
				}
				taken++
			}
			if taken != 2 {
				r.Failf("%d of 2 items came out", taken)
			}
		})
	})
}

// TestExploreLostWakeUp finds a sleeper that looks, finds nothing, and only then announces that it
// sleeps.
func TestExploreLostWakeUp(t *testing.T) {
	sleep := func(lookAgain bool) func(*Run) {
		return func(r *Run) {
			var items memory.Integer[int32]
			var asleep memory.Bool
			var bell memory.Token
			r.Go("sleeper", func() {
				for items.Load() == 0 {
					asleep.Store(true)
					if lookAgain && items.Load() != 0 {
						return
					}
					bell.Take(t.Context())
				}
			})
			r.Go("waker", func() {
				items.Add(1)
				if asleep.Load() {
					bell.Give()
				}
			})
		}
	}
	MustFail(t, 1, sleep(false))
	Exhaustive(t, Unbounded, sleep(true))
}

// TestExploreUnfencedFlags finds that two threads which raise a flag and look at the other's are
// both inside, if their stores are still in their buffers when they look.
func TestExploreUnfencedFlags(t *testing.T) {
	type flag interface {
		Store(uint64)
		Load() uint64
	}
	enter := func(a, b func() flag) func(*Run) {
		return func(r *Run) {
			x, y := a(), b()
			var inside memory.Plain[int]
			r.Go("one", func() {
				if x.Store(1); y.Load() == 0 {
					inside.Set(1)
				}
			})
			r.Go("two", func() {
				if y.Store(1); x.Load() == 0 {
					inside.Set(2)
				}
			})
		}
	}
	relaxed := func() flag { return new(memory.Release[uint64]) }
	fenced := func() flag { return new(memory.Integer[uint64]) }
	MustFail(t, Unbounded, enter(relaxed, relaxed))
	MustFail(t, Unbounded, enter(relaxed, fenced))
	Exhaustive(t, Unbounded, enter(fenced, fenced))
}
