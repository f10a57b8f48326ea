package contracts_test

import (
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
	"github.com/freerun-go/freerun/internal/sys/netpoll"
)

// Contract 6: nothing starves. Each test runs work that never ends by itself, and stops it as soon
// as the task under test has run.

type runner struct {
	stop  *atomic.Bool
	turns *atomic.Int64
	other *freerun.Unit[runner]
}

var runOn = freerun.Op[runner, int, int]("runOn", nil)

var _ = freerun.Define(runOn, func(c *freerun.Context, r *runner, _ int) (int, error) {
	r.turns.Add(1)
	if r.stop.Load() {
		return 0, nil
	}
	return 0, runOn.Tell(c, r.other, 0)
})

// endless starts two units on rt that send to each other until stop is set.
func endless(t *testing.T, rt *freerun.Runtime) (stop *atomic.Bool, turns *atomic.Int64) {
	stop, turns = new(atomic.Bool), new(atomic.Int64)
	a := freerun.NewUnit(rt, runner{stop: stop, turns: turns})
	b := freerun.NewUnit(rt, runner{stop, turns, a})
	runtimetest.Must(t, freerun.Do(rt.Context(), a, func(_ *freerun.Context, r *runner) (int, error) { r.other = b; return 0, nil }))
	if err := runOn.Tell(rt.Context(), a, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop.Store(true) })
	return stop, turns
}

// TestSlotStarvesNobody: two units that send to each other through the slot let a third unit, and a
// free operation, run.
func TestSlotStarvesNobody(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	endless(t, rt)
	runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), freerun.NewUnit(rt, 0), 1))
	runtimetest.Must(t, runtimetest.Tick.Send(rt.Context(), 1))
	// The same from inside: the new units are queued behind the slot, not before it.
	runtimetest.Must(t, freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
		u, v := freerun.NewUnit(rt, 0), freerun.NewUnit(rt, 0)
		return freerun.Forward(c, runtimetest.AddTwo.Send(c, runtimetest.Pair{X: runtimetest.AddOne.Send(c, u, 1), Y: runtimetest.AddOne.Send(c, v, 1)}))
	}))
}

// TestFullMailboxStarvesNobody: a unit that fills its own mailbox faster than it empties it lets
// another unit run.
func TestFullMailboxStarvesNobody(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
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
	runtimetest.Must(t, first)
	ran := runtimetest.Must(t, freerun.Do(rt.Context(), freerun.NewUnit(rt, 0), func(*freerun.Context, *int) (int, error) {
		stop.Store(true)
		return 1, nil
	}))
	if ran != 1 {
		t.Error(ran)
	}
}

// TestFreeOperationsStarveNobody: an endless tree of free operations lets three others run: a unit,
// an operation sent from outside, and the oldest branch of the tree itself.
func TestFreeOperationsStarveNobody(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
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
		unit <- runtimetest.AddOne.Send(c, freerun.NewUnit(rt, 0), 1)
		freerun.Go(c, grow)
		return 0, nil
	})
	runtimetest.Must(t, runtimetest.Tick.Send(rt.Context(), 1))
	runtimetest.Must(t, <-unit)
	runtimetest.Must(t, <-oldest)
	stop.Store(true)
}

// TestOrdinaryGoroutinesRun: with as many busy processors as Go has threads, an ordinary goroutine
// runs far more often than Go's preemption, every 10 ms, would let it.
func TestOrdinaryGoroutinesRun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	stop, turns := endless(t, rt)
	const want = 200
	for had, seen := 0, int64(0); had < want; runtime.Gosched() {
		if now := turns.Load(); now != seen { // the processor ran in between: a new turn
			had, seen = had+1, now
		}
	}
	stop.Store(true)
	if ran := turns.Load(); ran > want*20000 {
		t.Errorf("%d operations were run while an ordinary goroutine had %d turns", ran, want)
	}
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	if yields := rt.Stats().Processors[0].Yields; yields < want-1 {
		t.Errorf("the processor yielded %d times", yields)
	}
}

// busy keeps each processor of rt busy with units until the test ends. It returns once a thousand
// operations have run. ran returns their number.
func busy(t *testing.T, rt *freerun.Runtime) (ran func() int64) {
	t.Helper()
	ran, stop := runtimetest.KeepBusy(rt, freerun.Normal)
	t.Cleanup(stop)
	for ran() < 1000 {
		runtime.Gosched()
	}
	return ran
}

// onPs runs a test with as many Ps as processors: 1, then 2.
func onPs(t *testing.T, test func(t *testing.T, rt *freerun.Runtime)) {
	for _, procs := range []int{1, 2} {
		t.Run(fmt.Sprint(procs), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			rt, _ := runtimetest.Start(t, freerun.Processors(procs))
			test(t, rt)
		})
	}
}

// mostBetween bounds the operations, of about a microsecond each, that may run while an ordinary
// goroutine waits for an event. It is far above the usual number, and a fraction of the number that
// run in 10 ms, after which Go's monitor would notice the goroutine.
const mostBetween = 3000

// served calls event a hundred times, counts the operations that run during each call, and sorts
// the counts. It fails the test if the count at index best exceeds most for each P. The low counts
// matter because other processes of a busy machine delay some calls.
func served(t *testing.T, ran func() int64, best int, most int64, what string, event func()) {
	t.Helper()
	between := make([]int64, 100)
	for i := range between {
		before := ran()
		event()
		between[i] = ran() - before
	}
	slices.Sort(between)
	if n := between[best]; n > most*int64(runtime.GOMAXPROCS(0)) {
		t.Errorf("%d operations were run while %s; at least %d, at most %d", n, what, between[0], between[len(between)-1])
	}
}

// TestSocketsAreServed: while units keep all processors busy, bytes go to and fro over TCP.
func TestSocketsAreServed(t *testing.T) {
	if way, why := netpoll.Way(); way == netpoll.WayYield {
		t.Skip(why)
	}
	onPs(t, func(t *testing.T, rt *freerun.Runtime) {
		conn := runtimetest.EchoServer(t)
		ran, buffer := busy(t, rt), make([]byte, 1)
		served(t, ran, 50, mostBetween, "a byte came back", func() {
			if _, err := conn.Write(buffer); err != nil {
				t.Fatal(err)
			}
			if _, err := conn.Read(buffer); err != nil {
				t.Fatal(err)
			}
		})
	})
}

// TestTimersFire: while units keep all processors busy, time.AfterFunc and tickers of ordinary
// goroutines fire.
func TestTimersFire(t *testing.T) {
	onPs(t, func(t *testing.T, rt *freerun.Runtime) {
		ran := busy(t, rt)
		served(t, ran, 50, mostBetween, "a timer fired", func() {
			fired := make(chan struct{})
			time.AfterFunc(100*time.Microsecond, func() { close(fired) })
			<-fired
		})
		ticker := time.NewTicker(100 * time.Microsecond)
		defer ticker.Stop()
		served(t, ran, 50, mostBetween, "a ticker ticked", func() { <-ticker.C })
	})
}
