package ddb

import (
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun"
)

// sweepInterval is how often the sweeper looks whether a key is due. It looks without sending anything, so shards in
// which nothing is due, and has to be evicted because the limit was lowered, are not disturbed.
const sweepInterval = 100 * time.Millisecond

// sweepOrder is one shard's standing order: at most one is under way, which active tells.
type sweepOrder struct {
	unit   *freerun.Unit[shard]
	active atomic.Bool
}

// sweepUntil removes what is due until stop is closed.
func (s *Server) sweepUntil(stop <-chan struct{}) {
	ticker := time.NewTicker(sweepInterval)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
			s.sweepDue()
			s.stats.rate.sample(s.stats.commands.Load(), time.Now())
			s.stats.notePeak(s.budget.used())
			s.limitClients()
		}
	}
}

func (s *Server) sweepDue() {
	now, over := s.clock(), s.budget.over()
	for i, earliest := range s.earliest {
		order := s.sweeps[i]
		if earliest.Load() >= now && (!over || s.budget.accounts[i].evictable.Load() == 0) || order.active.Swap(true) {
			continue
		}
		if sweep.Tell(s.outside, order.unit, order) != nil {
			order.active.Store(false)
			return
		}
	}
}
