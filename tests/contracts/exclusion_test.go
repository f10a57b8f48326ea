package contracts_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// Contract 1: at most one operation of a unit runs at any time.
// Each operation sees all writes of the earlier ones.

type guarded struct {
	inside atomic.Int32
	plain  int // written without synchronisation: the race detector sees any overlap
	log    []int
}

var enterGuarded = freerun.Op("enter", func(_ *freerun.Context, g *guarded, by int) (int, error) {
	if g.inside.Add(1) != 1 {
		panic("two operations of one unit overlap")
	}
	g.plain += by
	g.log = append(g.log[:0], g.plain)
	defer g.inside.Add(-1)
	return g.plain, nil
})

func TestExclusion(t *testing.T) {
	const units, senders, each = 3, 8, 3000
	for _, processors := range []int{1, 2, 4} {
		rt, _ := runtimetest.Start(t, freerun.Processors(processors))
		var all []*freerun.Unit[guarded]
		for range units {
			all = append(all, freerun.NewUnit(rt, guarded{}))
		}
		var wg sync.WaitGroup
		for s := range senders {
			wg.Go(func() {
				for i := range each {
					u := all[(s+i)%units]
					if err := enterGuarded.Tell(rt.Context(), u, 1); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
			t.Fatal(err)
		}
		sum := 0
		for _, u := range all {
			sum += runtimetest.Must(t, freerun.Do(rt.Context(), u, func(_ *freerun.Context, g *guarded) (int, error) { return g.plain, nil }))
		}
		if sum != senders*each {
			t.Errorf("%d processors: the units counted %d messages of %d", processors, sum, senders*each)
		}
		if s := rt.Stats(); s.Panics != 0 || s.Lost != 0 {
			t.Errorf("%d processors: %d panics, %d lost", processors, s.Panics, s.Lost)
		}
	}
}
