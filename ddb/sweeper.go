package ddb

import (
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun"
)

// sweepInterval is how often the sweeper looks for keys that are due. It looks without sending
// messages, so it disturbs only shards in which a key is due or must be evicted for a lowered
// limit.
const sweepInterval = 100 * time.Millisecond

// sweepOrder is the message that makes one shard sweep. At most one for each shard is under way,
// which active tells.
type sweepOrder struct {
	unit   *freerun.Unit[shard]
	active atomic.Bool
}

// sweepUntil orders sweeps, and samples figures, until stop is closed.
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
