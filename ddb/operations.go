package ddb

import "github.com/freerun-go/freerun"

// The operations of a shard's unit.
var (
	execute = freerun.Op("ddb.execute", func(_ *freerun.Context, s *shard, g *group) (struct{}, error) {
		s.run(g)
		return struct{}{}, nil
	})

	// remove what is due, in portions, so that the commands that wait for the shard get their turn in between.
	sweep *freerun.Operation[shard, *sweeping, struct{}]
)

const sweepPortion = 1000

func init() {
	sweep = freerun.Op("ddb.sweep", func(c *freerun.Context, s *shard, w *sweeping) (struct{}, error) {
		s.begin()
		more := s.sweep(sweepPortion)
		s.end()
		if more && sweep.Tell(c, w.unit, w) == nil {
			return struct{}{}, nil
		}
		w.active.Store(false)
		return struct{}{}, nil
	})
}
