package clustertest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// sharedErrands has the clerks of errands_test.go on several machines.
type sharedErrands struct {
	*machines
	all []*sentErrand
}

// act does something at random.
func (s *sharedErrands) act(m *machine) {
	c, random := m.rt.Context(), s.random
	switch random.IntN(8) {
	case 0:
		clerks[random.IntN(len(clerks))].Stop(c, random.IntN(keys))
	case 1:
		m.rests(s.upTo(400 * time.Millisecond))
	case 2, 3:
		if len(s.all) > 0 {
			s.send(m, s.all[random.IntN(len(s.all))])
		}
	default:
		e := &sentErrand{of: random.IntN(len(clerks)), key: random.IntN(keys)}
		e.errand = errand{ID: len(s.all) + 1, trouble: s.trouble()}
		if random.IntN(2) == 0 {
			e.Asks = &target{random.IntN(len(clerks)), random.IntN(keys), s.trouble()}
		}
		if random.IntN(3) == 0 {
			e.Rings, e.Every = 1+random.IntN(500), random.IntN(2) == 0
		}
		s.all = append(s.all, e)
		if f := s.send(m, e); random.IntN(4) == 0 {
			_, _ = f.Wait(context.Background())
		}
	}
}

// send sends an errand, with its identity.
func (s *sharedErrands) send(m *machine, e *sentErrand) freerun.Future[int] {
	c := m.rt.Context()
	if s.random.IntN(4) == 0 {
		c = cluster.Direct(c)
	}
	s.logf("%12v %s sends %+v to %d %d", s.Now(), m.name, e.errand, e.of, e.key)
	f := do.Send(cluster.Once(c, fmt.Sprint(e.ID)), clerks[e.of].At(c, e.key), e.errand)
	e.outcomes = append(e.outcomes, f)
	return f
}

// check checks all errands.
func (s *sharedErrands) check(m *machine) {
	checkErrands(s, context.Background(), m.rt, m.node, s.all)
	for _, e := range s.all {
		for _, f := range e.outcomes {
			if _, err := f.Wait(context.Background()); err == nil {
				s.sum["done"]++
			}
		}
		if e.Asks != nil {
			s.sum["asked"]++
		}
		if e.Rings > 0 {
			s.sum["rang"]++
		}
	}
}

// TestMachinesErrands has errands sent again, from other machines, too: each is done once, or
// never; what it asks is answered once, and its timers ring once, or twice if they repeat.
func TestMachinesErrands(t *testing.T) {
	runMachines(t, machinePrograms[1], "done", "asked", "rang")
}
