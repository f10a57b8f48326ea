package freerun_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun"
)

// Contract 6: nothing starves. Each test has work that never ends by itself, and ends it when what must not starve has run.

type runner struct {
	stop  *atomic.Bool
	turns *atomic.Int64
	other *freerun.Unit[runner]
}

var runOn *freerun.Operation[runner, int, int]

func init() {
	runOn = freerun.Op("test.runOn", func(c *freerun.Context, r *runner, _ int) (int, error) {
		r.turns.Add(1)
		if r.stop.Load() {
			return 0, nil
		}
		return 0, runOn.Tell(c, r.other, 0)
	})
}

// endless starts two units on rt that talk to each other until stop.
func endless(t *testing.T, rt *freerun.Runtime) (stop *atomic.Bool, turns *atomic.Int64) {
	stop, turns = new(atomic.Bool), new(atomic.Int64)
	a := freerun.NewUnit(rt, runner{stop: stop, turns: turns})
	b := freerun.NewUnit(rt, runner{stop, turns, a})
	must(t, freerun.Do(rt.Context(), a, func(_ *freerun.Context, r *runner) (int, error) { r.other = b; return 0, nil }))
	if err := runOn.Tell(rt.Context(), a, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop.Store(true) })
	return stop, turns
}

// TestSlotStarvesNobody: two units that talk to each other through the slot let a third, and a free operation, have their turn.
func TestSlotStarvesNobody(t *testing.T) {
	rt, _ := start(t, freerun.Processors(1))
	endless(t, rt)
	must(t, addOne.Send(rt.Context(), freerun.NewUnit(rt, 0), 1))
	must(t, tickOnce.Send(rt.Context(), 1))
	// The same from inside: queued behind the slot, not before it.
	must(t, freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
		u, v := freerun.NewUnit(rt, 0), freerun.NewUnit(rt, 0)
		return freerun.Forward(c, addTwo.Send(c, pair{addOne.Send(c, u, 1), addOne.Send(c, v, 1)}))
	}))
}

// TestFullMailboxStarvesNobody: a unit that fills its own mailbox faster than it empties it lets another run.
func TestFullMailboxStarvesNobody(t *testing.T) {
	rt, _ := start(t, freerun.Processors(1))
	var stop atomic.Bool
	greedy := freerun.NewUnit(rt, 0)
	var feed *freerun.Unit[int] = greedy
	const most = 20000
	var grow func(c *freerun.Context, n *int) (int, error)
	grow = func(c *freerun.Context, n *int) (int, error) {
		for range 2 {
			if *n++; *n < most && !stop.Load() {
				freerun.Do(c, feed, grow)
			}
		}
		return 0, nil
	}
	first := freerun.Do(rt.Context(), greedy, grow)
	must(t, first)
	ran := must(t, freerun.Do(rt.Context(), freerun.NewUnit(rt, 0), func(*freerun.Context, *int) (int, error) {
		stop.Store(true)
		return 1, nil
	}))
	if ran != 1 {
		t.Error(ran)
	}
}

// TestFreeOperationsStarveNobody: an endless tree of free operations lets a unit, an operation from outside, and its own oldest
// branch run.
func TestFreeOperationsStarveNobody(t *testing.T) {
	rt, _ := start(t, freerun.Processors(1))
	var stop atomic.Bool
	var grow func(c *freerun.Context) (int, error)
	grow = func(c *freerun.Context) (int, error) {
		if !stop.Load() {
			freerun.Go(c, grow)
		}
		return 0, nil
	}
	oldest := make(chan freerun.Future[int], 1)
	unit := make(chan freerun.Future[int], 1)
	freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
		oldest <- freerun.Go(c, func(*freerun.Context) (int, error) { return 1, nil })
		unit <- addOne.Send(c, freerun.NewUnit(rt, 0), 1)
		freerun.Go(c, grow)
		return 0, nil
	})
	must(t, tickOnce.Send(rt.Context(), 1))
	must(t, <-unit)
	must(t, <-oldest)
	stop.Store(true)
}

// TestOrdinaryGoroutinesRun: with as many busy processors as Go has threads, an ordinary goroutine gets its turns, many more than
// Go's preemption every 10 ms would give it.
func TestOrdinaryGoroutinesRun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	rt, _ := start(t, freerun.Processors(1))
	stop, turns := endless(t, rt)
	const want = 200
	for range want {
		runtime.Gosched()
	}
	stop.Store(true)
	if ran := turns.Load(); ran > want*20000 {
		t.Errorf("%d operations were run while an ordinary goroutine had %d turns", ran, want)
	}
	if err := rt.Quiesce(within(t)); err != nil {
		t.Fatal(err)
	}
	if breaths := rt.Stats().Processors[0].Breaths; breaths < want/2 {
		t.Errorf("the processor yielded %d times", breaths)
	}
}
