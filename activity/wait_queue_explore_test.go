//go:build explore

package activity

import (
	"context"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/internal/verify/memory"
)

// door is an admitter that admits all waiters while it is open.
type door struct {
	queue waitQueue
	q     counter // open while nothing of it is held
}

func (d *door) enter(w *Waiter) {
	d.queue.enter(w, d)
}

func (d *door) admit(l *waitQueue) {
	for w := l.head(); w != nil && d.q.state.Load() == 0; w = l.head() {
		l.pop()
		w.Grant()
	}
}

// TestExploreWaitQueue has waiters come and give up while a door is opened, with queues that are
// cleared: all come through, or have given up, and none is left behind.
func TestExploreWaitQueue(t *testing.T) {
	body := func(r *explore.Run) {
		d := &door{}
		d.q.tryTake(1)
		var ctx memory.Context
		r.Go("one", func() { _ = d.queue.wait(context.Background(), 0, d) })
		r.Go("other", func() {
			for range 2 {
				_ = d.queue.wait(&ctx, 0, d)
			}
		})
		r.Go("ender", ctx.Cancel)
		r.Go("opener", func() {
			d.q.tryGive(1, 0, whole)
			d.queue.serve(d)
		})
		r.After(func() {
			if d.queue.head() != nil || d.queue.size.Load() != 0 || d.queue.service.Load() != atRest {
				r.Failf("size %d, service %d", d.queue.size.Load(), d.queue.service.Load())
			}
		})
	}
	explore.Exhaustive(t, 1, body)
	explore.Random(t, 20_000, body)
}

// TestExploreWaitQueueFrozen stops for good a thread that enters or serves, while others enter: the
// others end their calls.
func TestExploreWaitQueueFrozen(t *testing.T) {
	explore.Freeze(t, func(r *explore.Run) {
		d := &door{}
		d.q.tryTake(1)
		for _, name := range []string{"a", "b"} {
			r.Go(name, func() {
				d.enter(openedWaiter())
			})
		}
		r.Go("server", func() { d.queue.serve(d) })
	})
}
