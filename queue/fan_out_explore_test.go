//go:build explore

package queue_test

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/conformance"
	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/queue"
)

func TestExploreFanOut(t *testing.T) { conformance.ExploreQueue(t, fanOutSpec) }

// stolenFrom makes a queue with items dealt to its first consumer, and two more consumers that have
// none. Each of the three is a thread that dequeues several times, and fails if it is told that the
// queue is empty, because there are items for all.
func stolenFrom(room, items, each int) func(r *explore.Run) {
	return func(r *explore.Run) {
		q := queue.NewFanOut[int](room)
		consumers := []*queue.FanOutConsumer[int]{q.Register()}
		for i := range items {
			q.TryEnqueue(i)
		}
		consumers = append(consumers, q.Register(), q.Register())
		var got [3][]int
		for i, c := range consumers {
			r.Go("consumer", func() {
				for range each {
					v, ok := c.TryDequeue()
					if !ok {
						r.Failf("empty, with %d items for %d calls", items, each*len(consumers))
					}
					got[i] = append(got[i], v)
				}
			})
		}
		r.After(func() {
			seen := make([]bool, items)
			for i, c := range consumers {
				for v := range c.Drain {
					got[i] = append(got[i], v)
				}
				for _, v := range got[i] {
					if seen[v] {
						r.Failf("item %d came twice", v)
					}
					seen[v] = true
				}
			}
			for v, came := range seen {
				if !came {
					r.Failf("item %d was lost", v)
				}
			}
			for v := range room {
				if !q.TryEnqueue(v) {
					r.Failf("only %d of %d nodes came back", v, room)
				}
			}
		})
	}
}

// TestExploreFanOutSteals has steals meet steals, takers and each other's stolen items: what moves
// is never out of sight, nor there twice.
func TestExploreFanOutSteals(t *testing.T) {
	explore.Exhaustive(t, 2, stolenFrom(4, 4, 1))
	explore.Random(t, 5000, stolenFrom(4, 4, 1))
	explore.Random(t, 5000, stolenFrom(8, 8, 2))
}

// TestExploreFanOutFrozen stops consumers for good, in the middle of steals too: the others get
// their items.
func TestExploreFanOutFrozen(t *testing.T) {
	explore.Freeze(t, func(r *explore.Run) {
		q := queue.NewFanOut[int](4)
		consumers := []*queue.FanOutConsumer[int]{q.Register()}
		for i := range 4 {
			q.TryEnqueue(i)
		}
		consumers = append(consumers, q.Register(), q.Register())
		for _, c := range consumers {
			r.Go("consumer", func() {
				c.TryDequeue()
				c.TryDequeue()
			})
		}
		r.Go("producer", func() { q.TryEnqueue(4) })
	})
}

// TestExploreFanOutLeaves has a consumer leave, and another one come, while the producer deals and
// a third takes.
func TestExploreFanOutLeaves(t *testing.T) {
	explore.Random(t, 5000, func(r *explore.Run) {
		q := queue.NewFanOut[int](2)
		leaver, taker := q.Register(), q.Register()
		var got [3]int
		r.Go("producer", func() {
			q.TryEnqueue(1)
			q.TryEnqueue(2)
		})
		r.Go("leaver", leaver.Deregister)
		r.Go("joiner", func() { got[0], _ = q.Register().TryDequeue() })
		r.Go("taker", func() { got[1], _ = taker.TryDequeue() })
		r.After(func() {
			for v := range taker.Drain {
				got[2] += v
			}
			if got[0]+got[1]+got[2] != 3 {
				r.Failf("got %v of 1 and 2", got)
			}
		})
	})
}
