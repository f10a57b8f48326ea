//go:build explore

package queue_test

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/queue"
)

// TestExploreStackTakeAll has one thread take everything while others push and pop: every value
// comes out once, and what TakeAll takes is in the order of popping.
func TestExploreStackTakeAll(t *testing.T) {
	explore.Exhaustive(t, explore.Unbounded, func(r *explore.Run) {
		var s queue.Stack[int]
		s.Push(1)
		count := map[int]int{}
		r.Go("pusher", func() {
			s.Push(2)
			s.Push(3)
		})
		r.Go("popper", func() {
			if v, ok := s.TryPop(); ok {
				count[v]++
			}
		})
		r.Go("taker", func() {
			last := 4
			for v := range s.TakeAll() {
				if count[v]++; v >= last {
					r.Failf("took %d after %d", v, last)
				}
				last = v
			}
		})
		r.After(func() {
			for v := range s.TakeAll() {
				count[v]++
			}
			for v := 1; v <= 3; v++ {
				if count[v] != 1 {
					r.Failf("%d came out %d times", v, count[v])
				}
			}
		})
	})
}
