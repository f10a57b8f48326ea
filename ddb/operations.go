package ddb

import "github.com/freerun-go/freerun"

// The operations of a shard's unit.
var (
	execute = freerun.Op("ddb.execute", func(_ *freerun.Context, s *shard, g *group) (struct{}, error) {
		defer g.batch.finish()
		s.runGroup(g)
		return struct{}{}, nil
	})

	// has all shards that a message is for to itself.
	executeMultishard = freerun.OpAll("ddb.executeTogether", func(_ *freerun.Context, s []*shard, m *message) (struct{}, error) {
		defer m.batch.finish()
		m.run(s)
		return struct{}{}, nil
	})

	// make room for what others want to write.
	makeRoom = freerun.Op("ddb.makeRoom", func(_ *freerun.Context, s *shard, r *evictionRequest) (struct{}, error) {
		defer r.batch.finish()
		s.serveEviction(r)
		return struct{}{}, nil
	})

	// forget the keys that a connection watched when it ended.
	forget = freerun.Op("ddb.forget", func(_ *freerun.Context, s *shard, points []*watchpoint) (struct{}, error) {
		for _, w := range points {
			s.unwatch(w)
		}
		return struct{}{}, nil
	})

	// remove what is due, in portions, so that the commands that wait for the shard get their turn in between.
	sweep *freerun.Operation[shard, *sweepOrder, struct{}]
)

const sweepPortion = 1000

func init() {
	sweep = freerun.Op("ddb.sweep", func(c *freerun.Context, s *shard, w *sweepOrder) (struct{}, error) {
		s.begin()
		more := s.sweep(sweepPortion)
		if s.evictable() > 0 && s.evictOverLimit(sweepPortion) && s.evictable() > 0 {
			more = true
		}
		s.end()
		if more && sweep.Tell(c, w.unit, w) == nil {
			return struct{}{}, nil
		}
		w.active.Store(false)
		return struct{}{}, nil
	})
}
