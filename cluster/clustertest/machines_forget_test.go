package clustertest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/cluster/internal/partition"
)

// visits have a timer that forgets them.
var (
	visits = freerun.NewKind("stay", func(*freerun.Context, int) (int, error) { return 0, nil }, cluster.Durable(cluster.OnceFor(time.Minute)))
	visit  = freerun.Op("visit", func(c *freerun.Context, n *int, _ struct{}) (int, error) {
		*n++
		return *n, cluster.TellAfter(c, time.Minute, "end", endVisit, struct{}{})
	})
	endVisit = freerun.Op("endVisit", func(c *freerun.Context, _ *int, _ struct{}) (int, error) {
		return 0, cluster.Forget(c)
	})
)

// sharedVisits has them on several machines.
type sharedVisits struct {
	*machines
	n int
}

// act visits, or ends a visit early.
func (s *sharedVisits) act(m *machine) {
	c, key := m.rt.Context(), s.random.IntN(4*keys)
	switch s.random.IntN(6) {
	case 0:
		endVisit.Send(c, visits.At(c, key), struct{}{})
	case 1:
		m.rests(s.upTo(400 * time.Millisecond))
	default:
		s.n++
		f := visit.Send(cluster.Once(c, fmt.Sprint(s.n)), visits.At(c, key), struct{}{})
		if s.random.IntN(4) == 0 {
			_, _ = f.Wait(context.Background())
		}
	}
}

// check holds that nothing is left of units that were forgotten, once their time is over.
func (s *sharedVisits) check(m *machine) {
	for range 5 { // a machine that waits for nothing else rests no longer at a time
		m.rests(time.Hour)
	}
	for key, err := range cluster.Keys(m.node, visits, "") {
		s.Errorf("%v was forgotten, and is stored: %v", key, err)
	}
	s.store.Each(func(p int, key string, value []byte) {
		if key != partition.CheckpointKey && key != layout.Note && key != layout.Names {
			s.Errorf("partition %d still has %q, with %d bytes", p, key, len(value))
		}
	})
	s.sum["visits"] += s.n
}

// TestMachinesForget holds that of units which were forgotten nothing is left in the store after
// some hours, nor of the outcomes of operations with identities.
func TestMachinesForget(t *testing.T) {
	sum := map[string]int{}
	for seed := range uint64(max(ourMachines/50, 1)) {
		s := newMachines(t, seed, sum)
		s.of, s.longest = &sharedVisits{machines: s}, 10*time.Hour
		s.run()
	}
	t.Log(sum)
}
