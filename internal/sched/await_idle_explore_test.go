//go:build explore

package sched

import (
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// TestExploreIsIdle asks whether the scheduler is idle while a task is queued. If the answer is
// yes and the task, queued before the question, has not returned, there was no instant at which
// the scheduler was idle.
func TestExploreIsIdle(t *testing.T) {
	explore.Exhaustive(t, 3, func(r *explore.Run) {
		w := newWorld(r, 1, 1)
		var done atomics.Bool
		r.Go("outside", func() { w.Inject(w.job(func(*Processor) { done.Store(true) })) })
		r.Go("asker", func() {
			if !w.hasWork() {
				return
			}
			if idle := w.isIdle(); idle && !done.Load() {
				r.Failf("idle, with a task that was queued before and has not returned")
			}
		})
	})
}
