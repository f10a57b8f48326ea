//go:build explore

package queue

import (
	"strings"
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// desk has a plain field that only an owner may access. Two owners at once, or an owner that is not
// ordered after the previous one, show as a data race.
type desk struct{ served atomics.Plain[int] }

func (o *desk) serve() { o.served.Set(o.served.Get() + 1) }

// serveAll does the work of an owner.
func (o *desk) serveAll(q *Owner[int]) {
	for isEmpty := false; !isEmpty; {
		q.Peek()
		o.serve()
		_, isEmpty = q.Dequeue()
	}
}

// customers has each of several threads enqueue each items, and serve when it is told to. A
// thread's enqueue says whether the thread owns the queue, and its dequeue whether the queue is
// given up.
func customers(threads, each int, enqueue func(q *Owner[int], v int) bool, serveAll func(o *desk, q *Owner[int])) func(r *explore.Run) {
	return func(r *explore.Run) {
		var q Owner[int]
		var o desk
		for i := range threads {
			r.Go("customer", func() {
				for n := range each {
					if enqueue(&q, i*each+n) {
						serveAll(&o, &q)
					}
				}
			})
		}
		r.After(func() {
			if n := o.served.Get(); n != threads*each {
				r.Failf("%d items were served, not %d", n, threads*each)
			}
			if !q.Enqueue(0) {
				r.Failf("the queue says that it has an owner, and no goroutine was told so")
			}
		})
	}
}

// TestExploreOwner holds theorems 2 and 3 in every interleaving: there is one owner at a time,
// which sees the writes of the last one, and finds its items.
func TestExploreOwner(t *testing.T) {
	explore.Exhaustive(t, explore.Unbounded, customers(2, 1, (*Owner[int]).Enqueue, (*desk).serveAll))
	explore.Exhaustive(t, 3, customers(2, 2, (*Owner[int]).Enqueue, (*desk).serveAll))
	explore.Exhaustive(t, 2, customers(3, 1, (*Owner[int]).Enqueue, (*desk).serveAll))
	explore.Random(t, 2000, customers(4, 2, (*Owner[int]).Enqueue, (*desk).serveAll))
}

// TestExploreOwnerFrozen stops goroutines for good in the middle of Enqueue, Peek and Dequeue:
// threads that then enqueue, or own, go on.
func TestExploreOwnerFrozen(t *testing.T) {
	explore.Freeze(t, customers(3, 1, (*Owner[int]).Enqueue, (*desk).serveAll))
	explore.Freeze(t, customers(2, 2, (*Owner[int]).Enqueue, (*desk).serveAll))
}

// TestExploreOwnerTwoOwners is the control: two ways to appoint two owners, found as a race for
// what only an owner may touch, or as a second owner that finds nothing.
func TestExploreOwnerTwoOwners(t *testing.T) {
	hasty := func(q *Owner[int], v int) bool {
		q.link(v)
		wasEmpty := q.count.Load() == 0 // when it is looked at, and not when it is raised
		return q.countIn() || wasEmpty
	}
	early := func(o *desk, q *Owner[int]) {
		for isEmpty := false; !isEmpty; {
			isEmpty = q.countOut() // ownership ends, and then the item is served
			o.serve()
		}
	}
	t.Run("enqueue looks before it counts", func(t *testing.T) {
		f := explore.MustFail(t, 2, customers(2, 1, hasty, (*desk).serveAll))
		if !strings.Contains(f.Error(), "data race") && !strings.Contains(f.Error(), "Owner without items") {
			t.Error("what was found is something else")
		}
	})
	t.Run("dequeue counts before it is done", func(t *testing.T) {
		if f := explore.MustFail(t, 2, customers(2, 1, (*Owner[int]).Enqueue, early)); !strings.Contains(f.Error(), "data race") {
			t.Error("what was found is something else")
		}
	})
}
