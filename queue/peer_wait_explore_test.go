//go:build explore

package queue

import (
	"context"
	"errors"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/internal/verify/memory"
)

// TestExploreWaitingStoppedPeer stops a peer for good anywhere in its call of the queue inside. A
// call that waits for an item, or for room, and the one that waits for the peer, must return all
// the same when their context ends. Two threads end it, so one is left if the other is stopped.
func TestExploreWaitingStoppedPeer(t *testing.T) {
	for name, fresh := range map[string]func() NonBlocking[int]{
		"MPMC": func() NonBlocking[int] { return NewMPMC[int](1) },
		"MPSC": func() NonBlocking[int] { return NewMPSC[int](1) },
		"SPMC": func() NonBlocking[int] { return NewSPMC[int](1) },
	} {
		for _, enqueues := range []bool{false, true} {
			t.Run(name+map[bool]string{false: " Dequeue", true: " Enqueue"}[enqueues], func(t *testing.T) {
				explore.Freeze(t, func(r *explore.Run) {
					w, ctx := NewBlocking(fresh()), &memory.Context{}
					if enqueues {
						w.TryEnqueue(1)
					}
					r.Go("peer", func() {
						if enqueues {
							w.TryDequeue()
						} else {
							w.TryEnqueue(1)
						}
					})
					r.Go("waiter", func() {
						var err error
						if enqueues {
							err = w.Enqueue(ctx, 2)
						} else {
							_, err = w.Dequeue(ctx)
						}
						if err != nil && !errors.Is(err, context.Canceled) {
							r.Failf("the error is %v", err)
						}
					})
					for range 2 {
						r.Go("canceler", ctx.Cancel)
					}
				})
			})
		}
	}
}
