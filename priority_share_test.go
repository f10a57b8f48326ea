package freerun_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// shares is the state of units that send themselves the next message, and count by priority.
type shares struct {
	ran  *[4]int64
	stop *int64 // how many operations to run
}

var share = freerun.Op[shares, *freerun.Unit[shares], int]("share", nil)

var _ = freerun.Define(share, func(c *freerun.Context, s *shares, self *freerun.Unit[shares]) (int, error) {
	s.ran[c.Priority()]++
	if *s.stop--; *s.stop <= 0 {
		return 0, nil
	}
	return 0, share.Tell(c, self, self)
})

// TestPriorityShares floods a deterministic runtime with messages of a higher priority, many of
// which wait in each unit, and has chains of lower priorities beside. Each hop of a chain waits
// for as many operations as is documented, and no more, whether the chains are in units of their
// own, or in priority mailboxes of a unit that is flooded too.
func TestPriorityShares(t *testing.T) {
	all := int64(10_000 + runtimetest.Repeats(30_000))
	promised := map[freerun.Priority]int64{freerun.Normal: 8, freerun.Low: 32, freerun.Idle: 256}
	for _, flood := range []freerun.Priority{freerun.High, freerun.Normal} {
		for _, pr := range runtimetest.Priorities[1:] {
			if pr == flood {
				continue
			}
			for name, place := range map[string]struct{ own, same bool }{"mailboxes": {}, "unit": {own: true}, "one unit": {same: true}} {
				t.Run(fmt.Sprint(flood, " before ", pr, ", ", name), func(t *testing.T) {
					rt := freerun.New(freerun.Processors(1), freerun.Deterministic(1))
					defer rt.Close()
					stop := all
					state := shares{new([4]int64), &stop}
					unit := func(p freerun.Priority) *freerun.Unit[shares] {
						if place.own {
							return freerun.NewUnit(rt, state, freerun.UnitPriority(p))
						}
						return freerun.NewUnit(rt, state)
					}
					chain := unit(pr)
					for i := range 3 {
						u := unit(flood)
						if place.same && i == 0 {
							u = chain
						}
						for range 1000 {
							share.Tell(rt.Context().WithPriority(flood), u, u)
						}
					}
					share.Tell(rt.Context().WithPriority(pr), chain, chain)
					if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
						t.Fatal(err)
					}
					// The rest of the flood is run at the end, when the chain has ended.
					if got, want := state.ran[pr], all/promised[pr]; got < want*9/10 || got > want*12/10 {
						t.Errorf("the chain had %d of %d operations, want %d", got, all, want)
					}
				})
			}
		}
	}
}

// TestPrioritySharesAlive is the same with processors that run: a chain of Normal makes its hops
// while the flood goes on.
func TestPrioritySharesAlive(t *testing.T) {
	for _, processors := range []int{1, 2} {
		rt, _ := runtimetest.Start(t, freerun.Processors(processors))
		var high, normal atomic.Int64
		var ended atomic.Bool
		for range 4 * processors {
			u := freerun.NewUnit(rt, 0, freerun.UnitPriority(freerun.High))
			var again func(c *freerun.Context, _ *int) (int, error)
			again = func(c *freerun.Context, _ *int) (int, error) {
				if high.Add(1); !ended.Load() {
					freerun.Do(c, u, again)
				}
				return 0, nil
			}
			for range 200 {
				freerun.Do(rt.Context(), u, again)
			}
		}
		u := freerun.NewUnit(rt, 0)
		const hops = 2000
		done := make(chan struct{})
		var hop func(c *freerun.Context, _ *int) (int, error)
		hop = func(c *freerun.Context, _ *int) (int, error) {
			if normal.Add(1) == hops {
				ended.Store(true)
				close(done)
				return 0, nil
			}
			freerun.Do(c, u, hop)
			return 0, nil
		}
		before := high.Load()
		freerun.Do(rt.Context(), u, hop)
		<-done
		// On several processors, the others run High meanwhile.
		if n := high.Load() - before; n > hops*8*4*int64(processors) {
			t.Errorf("%d processors: %d operations of High for %d hops of Normal", processors, n, hops)
		}
		if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
			t.Fatal(err)
		}
	}
}
