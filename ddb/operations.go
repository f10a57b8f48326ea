package ddb

import "github.com/freerun-go/freerun"

// The operations of a shard's unit.
var (
	// execute runs the message of one group.
	execute = freerun.Op("execute", freerun.NoResult(func(_ *freerun.Context, s *shard, g *group) error {
		defer g.batch.finish()
		s.runGroup(g)
		return nil
	}))

	// executeMultishard has exclusive access to all shards of its message.
	executeMultishard = freerun.OpAll("executeMultishard", freerun.NoResult(func(_ *freerun.Context, s []*shard, m *message) error {
		defer m.batch.finish()
		m.run(s)
		return nil
	}))

	// makeRoom evicts keys for other shards, or for a lowered limit.
	makeRoom = freerun.Op("makeRoom", freerun.NoResult(func(_ *freerun.Context, s *shard, r *evictionRequest) error {
		defer r.batch.finish()
		s.serveEviction(r)
		return nil
	}))

	// forget drops the watches of a connection that has ended.
	forget = freerun.Op("forget", freerun.NoResult(func(_ *freerun.Context, s *shard, points []*watchpoint) error {
		for _, w := range points {
			s.unwatch(w)
		}
		return nil
	}))

	// sweep removes keys that are due, and evicts above a lowered limit, in portions: commands for
	// the shard run in between.
	sweep = freerun.Op[shard, *sweepOrder, struct{}]("sweep", nil)
)

// sweepPortion is how many keys a sweep removes, and evicts, at most.
const sweepPortion = 1000

var _ = freerun.Define(sweep, freerun.NoResult(func(c *freerun.Context, s *shard, w *sweepOrder) error {
	s.begin()
	more := s.sweep(sweepPortion)
	if s.evictable() > 0 && s.evictOverLimit(sweepPortion) && s.evictable() > 0 {
		more = true
	}
	s.end()
	if more && sweep.Tell(c, w.unit, w) == nil {
		return nil
	}
	w.active.Store(false)
	return nil
}))
