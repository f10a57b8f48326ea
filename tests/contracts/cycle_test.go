package contracts_test

import (
	"errors"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// Contract 4, end: an operation can keep its own future in its unit's state, and return it later as
// a result. Such a cycle leaves no future open for ever.

// TestCycleOfOne: an operation forwards its own future, which its unit was given.
func TestCycleOfOne(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	u := freerun.NewUnit(rt, 0)
	g := runtimetest.NewGate()
	freerun.Do(rt.Context(), u, func(*freerun.Context, *int) (int, error) { g.Pass(); return 0, nil })
	<-g.Entered
	var own freerun.Future[int]
	own = freerun.Do(rt.Context(), u, func(c *freerun.Context, _ *int) (int, error) { return freerun.Forward(c, own) })
	close(g.Opened)
	if _, err := own.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCycle) {
		t.Errorf("waiting for itself: %v", err)
	}
}

// TestCycleOfMany: n units forward each other's futures in a ring, on several processors at once,
// so that the last edges are added concurrently. All futures fail, at least one with ErrCycle, the
// others with ErrCycle as their cause.
func TestCycleOfMany(t *testing.T) {
	for _, n := range []int{2, 3, 10, 100} {
		for range 30 {
			rt, _ := runtimetest.Start(t, freerun.Processors(4))
			ring := make([]freerun.Future[int], n)
			ready := make(chan struct{})
			for i := range ring {
				u := freerun.NewUnit(rt, 0)
				ring[i] = freerun.Do(rt.Context(), u, func(c *freerun.Context, _ *int) (int, error) {
					<-ready
					return freerun.Forward(c, ring[(i+1)%n])
				})
			}
			close(ready)
			for i, f := range ring {
				if _, err := f.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCycle) {
					t.Fatalf("ring of %d, future %d: %v", n, i, err)
				}
			}
			if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
				t.Fatal(err)
			}
			rt.Close()
		}
	}
}

// TestCycleThroughArguments closes two rings: in one an edge is the argument that is waited for
// second, in the other an edge is one of many arguments.
func TestCycleThroughArguments(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	for name, second := range map[string]func(*freerun.Context, freerun.Future[int], freerun.Future[int]) freerun.Future[int]{
		"pair": func(c *freerun.Context, x, y freerun.Future[int]) freerun.Future[int] {
			return runtimetest.AddTwo.Send(c, runtimetest.Pair{X: x, Y: y})
		},
		"list": func(c *freerun.Context, x, y freerun.Future[int]) freerun.Future[int] {
			return runtimetest.SumWide.Send(c, runtimetest.Wide{All: []freerun.Future[int]{x, freerun.Resolved(1), y}})
		},
	} {
		first, last := runtimetest.NewGate(), runtimetest.NewGate()
		x := freerun.Do(rt.Context(), freerun.NewUnit(rt, 0), func(*freerun.Context, *int) (int, error) { first.Pass(); return 1, nil })
		<-first.Entered
		var s freerun.Future[int]
		a := freerun.Do(rt.Context(), freerun.NewUnit(rt, 0), func(c *freerun.Context, _ *int) (int, error) {
			last.Pass()
			return freerun.Forward(c, s) // waits for the sum, which waits for this
		})
		<-last.Entered
		s = second(rt.Context(), x, a)
		close(last.Opened)
		if _, err := s.Result(); !errors.Is(err, freerun.ErrWouldBlock) {
			t.Errorf("%s: before the ring is closed: %v", name, err)
		}
		close(first.Opened)
		for _, f := range []freerun.Future[int]{a, s} {
			if _, err := f.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCycle) {
				t.Errorf("%s: %v", name, err)
			}
		}
		runtimetest.Must(t, x)
		if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCycleInAResult: two results hold each other's futures.
func TestCycleInAResult(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	type holder struct{ f freerun.Future[any] }
	ready := make(chan struct{})
	var x, y freerun.Future[any]
	x = freerun.Do(rt.Context(), freerun.NewUnit(rt, 0), func(*freerun.Context, *int) (any, error) { <-ready; return holder{y}, nil })
	y = freerun.Do(rt.Context(), freerun.NewUnit(rt, 0), func(*freerun.Context, *int) (any, error) { <-ready; return &holder{x}, nil })
	close(ready)
	for _, f := range []freerun.Future[any]{x, y} {
		if _, err := f.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCycle) {
			t.Errorf("a result that holds itself: %v", err)
		}
	}
}
