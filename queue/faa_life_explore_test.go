//go:build explore

package queue

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/explore"
)

// TestExploreSegmentedOtherLife has a dequeuer sleep between its looks at the two turnstiles of a
// segment. Meanwhile the segment is used up, set aside, and prepared for another life with the base
// that it had, by a thread that comes too late to link it. In that moment the sealed turnstile says
// that one slot is claimed, and only deq tells that this is another life. There are as many items
// as calls, so none may find the queue empty.
func TestExploreSegmentedOtherLife(t *testing.T) {
	dequeues := map[string]func(q *SegmentedMPMC[int]) bool{
		"TryDequeue": func(q *SegmentedMPMC[int]) bool {
			_, ok := q.TryDequeue()
			return ok
		},
		"DequeueN": func(q *SegmentedMPMC[int]) bool { return q.DequeueN(make([]int, 1)) == 1 },
	}
	for name, dequeue := range dequeues {
		t.Run(name, func(t *testing.T) {
			explore.Exhaustive(t, 2, func(r *explore.Run) {
				q := NewSegmented[int](2, 2, 0)
				q.Enqueue(0)
				first := q.head.Load()
				first.visitors.Add(1) // the late thread visits it, so it is not used again
				q.EnqueueN([]int{1, 2, 3, 4, 5})
				for range 3 {
					q.TryDequeue()
				}
				s := q.head.Load()
				base := s.enq.load().base()
				if s == first || s.deq.load().index() != 1 {
					r.Failf("the head is not where it should be")
				}
				must := func() {
					if !dequeue(q) {
						r.Failf("empty, with an item for each call")
					}
				}
				r.Go("sleeper", must)
				r.Go("others", func() {
					must()
					must()
				})
				r.Go("late", func() {
					v := 9
					n := q.obtain(2)
					n.prepare(base, &v)
					n.withdraw()
					q.setAside(n)
				})
			})
		})
	}
}
