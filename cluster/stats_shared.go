package cluster

import (
	"errors"
	"sync"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// sharedCounts are what a node counts whose units machines share.
type sharedCounts struct {
	mu                 sync.Mutex
	writes             engine.Stats
	handOvers          uint64
	conflicts, unknown uint64
}

// ended counts a write of a unit's record, which was begun at an instant.
func (s *sharedCounts) ended(writes []engine.Write, took time.Duration, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err == nil:
		s.writes.Count(writes, took)
	case errors.Is(err, engine.ErrConflict):
		s.conflicts++
	case errors.Is(err, engine.ErrUncertain):
		s.unknown++
	}
}

// owns counts a partition that the machine has got.
func (s *sharedCounts) owns() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handOvers++
}

// tell tells the figures of a node that shares its units.
func (s *shared) tell(to *Stats) {
	s.counts.mu.Lock()
	to.store(s.counts.writes)
	to.HandOvers, to.Conflicts, to.Unknown = s.counts.handOvers, s.counts.conflicts, s.counts.unknown
	s.counts.mu.Unlock()
	for _, pt := range s.parts {
		o := pt.owner.Load()
		if o == nil {
			continue
		}
		to.Partitions++
		entries, since := o.Lag()
		to.Unsettled += entries
		if !since.IsZero() {
			to.OldestUnsettled = max(to.OldestUnsettled, s.node.rt.Now().Sub(since))
		}
	}
}
