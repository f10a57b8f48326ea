package clustertest

import (
	"context"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/cluster/internal/logsim"
)

type tank struct{ Litres int }

var (
	tanks = freerun.NewKind("tank", func(*freerun.Context, string) (tank, error) { return tank{}, nil }, cluster.Durable(cluster.Tagged()))
	fill  = freerun.Op("fill", func(_ *freerun.Context, a *tank, n int) (int, error) {
		a.Litres += n
		return a.Litres, nil
	})
	refill = freerun.Op2("refill", func(_ *freerun.Context, a, b *tank, n int) (int, error) {
		a.Litres, b.Litres = a.Litres-n, b.Litres+n
		return a.Litres, nil
	})
)

// TestMachinesDrain holds that a Shutdown ends while something waits for better times of the store:
// for room, or for an answer. Nothing is to come then, so it would wait for ever.
func TestMachinesDrain(t *testing.T) {
	noRoom := func(write bool, key string) error {
		if write && key[:1] == layout.Unit {
			return engine.ErrNoSpace
		}
		return nil
	}
	unread := func(part string) func(write bool, key string) error {
		return func(write bool, key string) error {
			if !write && key[:1] == part {
				return engine.ErrUncertain
			}
			return nil
		}
	}
	for what, waits := range map[string]struct {
		fails func(write bool, key string) error
		tell  func(c *freerun.Context, a, b *freerun.Unit[tank]) error
	}{
		"a write":            {noRoom, func(c *freerun.Context, a, _ *freerun.Unit[tank]) error { return fill.Tell(c, a, 1) }},
		"a write of several": {noRoom, func(c *freerun.Context, a, b *freerun.Unit[tank]) error { return refill.Tell(c, a, b, 1) }},
		"a load": {unread(layout.Unit), func(c *freerun.Context, _, _ *freerun.Unit[tank]) error {
			return fill.Tell(c, tanks.At(c, "{t}new"), 1)
		}},
		"an identity": {unread(layout.Once), func(c *freerun.Context, a, _ *freerun.Unit[tank]) error { return fill.Tell(cluster.Once(c, "x"), a, 1) }},
	} {
		for _, closed := range []bool{false, true} {
			runOnMachine(t, 1, logsim.Faults{}, func(s *machines, m *machine) {
				s.longest = 10 * time.Minute
				c := m.rt.Context()
				a, b := tanks.At(c, "{t}a"), tanks.At(c, "{t}b")
				if _, err := refill.Send(c, a, b, 1).Wait(context.Background()); err != nil {
					s.Fatal(err)
				}
				m.rests(time.Second)
				s.fails = waits.fails
				if err := waits.tell(c, a, b); err != nil {
					s.Fatal(err)
				}
				m.rests(500 * time.Millisecond)
				if closed {
					if err := m.node.Close(); err != nil {
						s.Error(err)
					}
				}
				ends := true
				m.waits(&ends)
				defer func() { ends = false }()
				if err := m.rt.Shutdown(context.Background()); err != nil || s.Now() > time.Minute {
					s.Errorf("%s, closed before: %v: Shutdown: %v, at %v", what, closed, err, s.Now())
				}
			})
		}
	}
}
