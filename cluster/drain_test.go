//go:build !wasm

package cluster_test

import (
	"errors"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// court is the state of units that play for ever.
type court struct{ Hits int }

var (
	courts = freerun.NewKind("court", func(*freerun.Context, string) (court, error) { return court{}, nil }, cluster.Durable())
	// rally is told for ever, and volley is asked for ever. Each has the number of the hit.
	rally  = freerun.Op[court, int, int]("rally", nil)
	volley = freerun.Op("volley", func(_ *freerun.Context, a *court, n int) (int, error) { a.Hits++; return n, nil })
	serve  = freerun.Op[court, int, int]("serve", nil)
	ace    = freerun.Op[court, cluster.Answer[int, int], int]("ace", nil)
	// trips begins to wait for two futures, and panics.
	trips = freerun.Op("trips", func(c *freerun.Context, a *court, _ struct{}) (int, error) {
		a.Hits++
		throws := func(*freerun.Context) (int, error) { return 1, nil }
		freerun.First(c, freerun.Go(c, throws), freerun.Go(c, throws))
		freerun.Within(c, freerun.Go(c, throws), time.Hour)
		panic("it trips")
	})
	played = freerun.ReadOp("played", func(_ *freerun.Context, a *court, _ struct{}) (int, error) { return a.Hits, nil })
)

func init() {
	freerun.Define(rally, func(c *freerun.Context, a *court, n int) (int, error) {
		a.Hits++
		return n, rally.Tell(c, courts.At(c, []string{"ping", "pong"}[n%2]), n+1)
	})
	freerun.Define(serve, func(c *freerun.Context, _ *court, n int) (int, error) {
		return n, cluster.Ask(c, volley, courts.At(c, "volley"), n, ace)
	})
	freerun.Define(ace, func(c *freerun.Context, a *court, r cluster.Answer[int, int]) (int, error) {
		a.Hits++
		return r.Result, cluster.Ask(c, volley, courts.At(c, "volley"), r.Result+1, ace)
	})
}

// TestDrain holds that a Shutdown ends while units tell and ask each other for ever, that the next
// process goes on with that, and that work which ends is done before.
func TestDrain(t *testing.T) {
	dir := t.TempDir()
	hits := map[string]int{}
	for process := range 3 {
		rt, n, stop := start(t, dir)
		c := rt.Context()
		if process == 0 {
			must(t, rally.Send(c, courts.At(c, "ping"), 1))
			must(t, serve.Send(c, courts.At(c, "serve"), 1))
		} else if s := n.Stats(); s.Left != 2 {
			t.Errorf("process %d: %d are left, want 2", process, s.Left)
		}
		for _, key := range []string{"ping", "pong", "volley", "serve"} {
			before := hits[key]
			for ctx := within(t); hits[key] < before+5; time.Sleep(time.Millisecond) {
				hits[key] = must(t, played.Send(c, courts.At(c, key), struct{}{}))
				if ctx.Err() != nil {
					t.Fatalf("process %d: %s does not go on", process, key)
				}
			}
		}
		for range 10 {
			must(t, pay.Send(c, accounts.At(c, "payer"), transfer{"paid", 1}))
		}
		stop()
	}
}

// TestDrainAfterPanic holds that an operation that panics leaves nothing open of what it has begun
// to wait for: a Shutdown ends.
func TestDrainAfterPanic(t *testing.T) {
	rt, _, stop := start(t, t.TempDir())
	c := rt.Context()
	var p *freerun.PanicError
	if _, err := trips.Send(c, courts.At(c, "trips"), struct{}{}).Wait(within(t)); !errors.As(err, &p) {
		t.Errorf("%v; want a panic", err)
	}
	if n := must(t, played.Send(c, courts.At(c, "trips"), struct{}{})); n != 0 {
		t.Errorf("what has panicked has left %d", n)
	}
	stop()
}
