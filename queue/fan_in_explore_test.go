//go:build explore

package queue_test

import (
	"strings"
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/conformance"
	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/queue"
)

func TestExploreFanIn(t *testing.T) { conformance.ExploreQueue(t, fanInSpec) }

// TestExploreFanInLeaves has a producer leave with an item in its ring while the consumer takes:
// the item comes, and the producer is forgotten exactly once.
func TestExploreFanInLeaves(t *testing.T) {
	for _, items := range []int{0, 1} {
		explore.Exhaustive(t, 2, func(r *explore.Run) {
			q := queue.NewFanIn[int](2)
			leaver, stayer := q.Register(), q.Register()
			got := 0
			r.Go("leaver", func() {
				for range items {
					leaver.TryEnqueue(1)
				}
				leaver.Deregister()
			})
			r.Go("stayer", func() { stayer.TryEnqueue(2) })
			r.Go("consumer", func() {
				for range 2 {
					if _, ok := q.TryDequeue(); ok {
						got++
					}
				}
			})
			r.After(func() {
				for range q.Drain {
					got++
				}
				if got != items+1 || q.Producers() != 1 || q.Len() != 0 {
					r.Failf("%d items came of %d; %d producers and %d items are left", got, items+1, q.Producers(), q.Len())
				}
			})
		})
	}
}

// TestExploreFanInRegisters registers a producer beside another one that registers, or leaves.
func TestExploreFanInRegisters(t *testing.T) {
	for _, leaves := range []bool{false, true} {
		explore.Exhaustive(t, explore.Unbounded, func(r *explore.Run) {
			q := queue.NewFanIn[int](1)
			leaver := q.Register()
			var want int
			r.Go("joiner", func() { q.Register() })
			if leaves {
				r.Go("leaver", leaver.Deregister)
				want = 1
			} else {
				r.Go("other joiner", func() { q.Register() })
				want = 3
			}
			r.After(func() {
				if q.Producers() != want {
					r.Failf("%d producers, want %d", q.Producers(), want)
				}
			})
		})
	}
}

// counted is the MPSC from SPSC queues as the lecture has it: a counter beside the rings tells
// whether there is anything.
type counted struct {
	size         atomics.Int64
	rings        [2]*queue.SPSC[int]
	countsBefore bool // the enqueuers: before the item is there, not afterwards
	looksFirst   bool // the dequeuer: into the rings before it looks at the counter
}

func newCounted() *counted {
	return &counted{rings: [2]*queue.SPSC[int]{queue.NewSPSC[int](2), queue.NewSPSC[int](2)}}
}

func (c *counted) enqueue(producer, v int) {
	if c.countsBefore {
		c.size.Add(1)
	}
	c.rings[producer].TryEnqueue(v)
	if !c.countsBefore {
		c.size.Add(1)
	}
}

func (c *counted) dequeue(r *explore.Run) (v int, ok bool) {
	for c.looksFirst || c.size.Load() > 0 {
		for _, ring := range c.rings {
			if v, ok = ring.TryDequeue(); ok {
				if n := c.size.Add(-1); n < 0 {
					r.Failf("%d items are counted", n)
				}
				return v, true
			}
		}
		if !c.looksFirst {
			r.Failf("no ring has the item that was counted")
		}
		if c.size.Load() == 0 {
			break
		}
	}
	return 0, false
}

// TestExploreFanInCounterBeforeQueue is the lecture's first form as a control: an item is counted
// before it is there.
func TestExploreFanInCounterBeforeQueue(t *testing.T) {
	mustFail(t, "no ring has the item that was counted", func(r *explore.Run) {
		c := newCounted()
		c.countsBefore = true
		r.Go("producer", func() { c.enqueue(0, 1) })
		r.Go("consumer", func() { c.dequeue(r) })
	})
}

// TestExploreFanInCounterAfterQueue is the second form: the consumer, let in by another item, takes
// one that is not counted yet; and the next time it takes nothing though an item is there.
func TestExploreFanInCounterAfterQueue(t *testing.T) {
	mustFail(t, "there is an item, whose Enqueue has returned", func(r *explore.Run) {
		c := newCounted()
		var returned atomics.Bool
		r.Go("one producer", func() { c.enqueue(0, 1) })
		r.Go("other producer", func() {
			c.enqueue(1, 2)
			returned.Store(true)
		})
		r.Go("consumer", func() {
			if !returned.Load() {
				return
			}
			got := 0
			for range 2 {
				v, ok := c.dequeue(r)
				if got += v; !ok && got&2 == 0 {
					r.Failf("there is an item, whose Enqueue has returned")
				}
			}
		})
	})
}

// TestExploreFanInCounterNegative is the third form: the rings first and then the counter, on both
// sides, so that it falls below zero.
func TestExploreFanInCounterNegative(t *testing.T) {
	mustFail(t, "-1 items are counted", func(r *explore.Run) {
		c := newCounted()
		c.looksFirst = true
		r.Go("producer", func() { c.enqueue(0, 1) })
		r.Go("consumer", func() { c.dequeue(r) })
	})
}

// mustFail explores a control, and holds that it fails with the expected error.
func mustFail(t *testing.T, want string, body func(r *explore.Run)) {
	t.Helper()
	if f := explore.MustFail(t, 2, body); !strings.Contains(f.Error(), want) {
		t.Errorf("what was found is something else, not %q", want)
	}
}
