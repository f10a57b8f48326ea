package freerun_test

import (
	"context"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// Contract 9: an idle runtime does nothing. Contract 10: what a message and a unit cost.

// TestIdleDoesNothing looks at all counters of a parked runtime, some time apart.
func TestIdleDoesNothing(t *testing.T) {
	for _, processors := range []int{4, 64} {
		rt, _ := runtimetest.Start(t, freerun.Processors(processors))
		runtimetest.Must(t, runtimetest.Tick.Send(rt.Context(), 1))
		if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
			t.Fatal(err)
		}
		before := rt.Stats()
		time.Sleep(100 * time.Millisecond)
		after := rt.Stats()
		for i := range before.Processors {
			if before.Processors[i] != after.Processors[i] {
				t.Errorf("processor %d, idle: %+v, later %+v", i, before.Processors[i], after.Processors[i])
			}
		}
	}
}

// allocations returns how many allocations one call of f makes, after a while.
func allocations(f func()) float64 {
	for range 2000 {
		f()
	}
	return testing.AllocsPerRun(2000, f)
}

func TestTellAllocatesNothing(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	u := freerun.NewUnit(rt, 0)
	outside := allocations(func() {
		runtimetest.AddOne.Tell(rt.Context(), u, 1)
		awaitDone(rt)
	})
	free := allocations(func() {
		runtimetest.Tick.Tell(rt.Context(), 1)
		awaitDone(rt)
	})
	inside := runtimetest.Must(t, freerun.Go(rt.Context(), func(c *freerun.Context) (float64, error) {
		return allocations(func() { runtimetest.AddOne.Tell(c, u, 1) }), nil
	}))
	between := pingAllocations(t, rt)
	if outside != 0 || free != 0 || between != 0 {
		t.Errorf("allocations per Tell: from outside %v, free %v, between units %v", outside, free, between)
	}
	// Inside one operation messages are not used again before it ends: each is new, and they are
	// made a batch at a time.
	if inside >= 1 {
		t.Errorf("allocations per Tell in one operation: %v", inside)
	}
}

// echo is the argument of echoOn, which sends itself to its two units again, left times.
type echo struct {
	x, y *freerun.Unit[int]
	left int
	done chan struct{}
}

var echoOn = freerun.Op2[int, int, echo, struct{}]("echoOn", nil)

var _ = freerun.Define(echoOn, func(c *freerun.Context, _, _ *int, r echo) (struct{}, error) {
	if r.left == 0 {
		close(r.done)
		return struct{}{}, nil
	}
	r.left--
	return struct{}{}, echoOn.Tell(c, r.y, r.x, r)
})

func TestMultiTellAllocatesNothing(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	x, y := freerun.NewUnit(rt, 0), freerun.NewUnit(rt, 0)
	n := allocations(func() {
		addBoth.Tell(rt.Context(), x, y, 1)
		awaitDone(rt)
	})
	if n != 0 {
		t.Errorf("%v allocations per Tell from outside", n)
	}
	const hops = 100000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := echo{x: x, y: y, left: hops, done: make(chan struct{})}
	if err := echoOn.Tell(rt.Context(), x, y, r); err != nil {
		t.Fatal(err)
	}
	<-r.done
	runtime.ReadMemStats(&after)
	if n := (after.Mallocs - before.Mallocs) / hops; n != 0 {
		t.Errorf("%d allocations per Tell to the same units", n)
	}
}

// awaitDone waits, without allocating, until all messages are done.
func awaitDone(rt *freerun.Runtime) {
	for !rt.Settled() {
		runtime.Gosched()
	}
}

// pingAllocations returns the allocations of a hop between two units.
func pingAllocations(t *testing.T, rt *freerun.Runtime) float64 {
	const hops = 100000
	done := make(chan struct{})
	x := freerun.NewUnit(rt, pinger{done: done})
	y := freerun.NewUnit(rt, pinger{other: x, done: done})
	runtimetest.Must(t, freerun.Do(rt.Context(), x, func(_ *freerun.Context, p *pinger) (int, error) { p.other = y; return 0, nil }))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	benchPing.Tell(rt.Context(), x, hops)
	<-done
	runtime.ReadMemStats(&after)
	return float64((after.Mallocs - before.Mallocs) / hops)
}

func TestSendAllocatesOnce(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	u := freerun.NewUnit(rt, 0)
	for name, send := range map[string]func() freerun.Future[int]{
		"operation":      func() freerun.Future[int] { return runtimetest.AddOne.Send(rt.Context(), u, 1) },
		"free operation": func() freerun.Future[int] { return runtimetest.Tick.Send(rt.Context(), 1) },
	} {
		n := allocations(func() {
			f := send()
			for _, err := f.Result(); err == freerun.ErrWouldBlock; _, err = f.Result() {
				runtime.Gosched()
			}
		})
		if n > 1 {
			t.Errorf("%s: %v allocations per Send", name, n)
		}
	}
	// With more than one future to wait for.
	g := runtimetest.NewGate()
	late := freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { g.Pass(); return 1, nil })
	<-g.Entered
	if n := allocations(func() { runtimetest.AddTwo.Send(rt.Context(), runtimetest.Pair{X: late, Y: late}) }); n > 1 {
		t.Errorf("with futures to wait for: %v allocations per Send", n)
	}
	close(g.Opened)
	runtimetest.Must(t, late)
}

// TestClosureAllocatesOnce: a function without a name costs as much as an operation, and what it
// captures.
func TestClosureAllocatesOnce(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	u := freerun.NewUnit(rt, 0)
	got := runtimetest.Must(t, freerun.Go(rt.Context(), func(c *freerun.Context) ([4]float64, error) {
		by := 2
		known := freerun.Resolved(1)
		return [...]float64{
			allocations(func() {
				freerun.Do(c, u, func(_ *freerun.Context, n *int) (int, error) { *n++; return *n, nil })
			}),
			allocations(func() {
				freerun.Go(c, func(*freerun.Context) (int, error) { return 1, nil })
			}),
			allocations(func() {
				freerun.Then(c, known, func(_ *freerun.Context, n int) (int, error) { return n, nil })
			}),
			allocations(func() {
				freerun.Do(c, u, func(_ *freerun.Context, n *int) (int, error) { *n += by; return *n, nil })
			}),
		}, nil
	}))
	for i, want := range [...]float64{1, 1, 1, 2} {
		if got[i] != want {
			t.Errorf("case %d allocates %v times, want %v", i, got[i], want)
		}
	}
}

func TestActivityAllocatesOnce(t *testing.T) {
	runtimetest.OnSome(t, func(t *testing.T, processors int) {
		rt, _ := runtimetest.Start(t, freerun.Processors(processors))
		empty := func(*activity.Activity) {}
		for name, on := range map[string]*freerun.Context{"of the runtime": rt.Context(), "with a priority": rt.Context().WithPriority(freerun.High)} {
			inside := runtimetest.Must(t, freerun.Go(on, func(c *freerun.Context) (float64, error) {
				return testing.AllocsPerRun(2000, func() { activity.Go(c, empty) }), nil
			}))
			if inside != 1 {
				t.Errorf("an activity %s takes %v allocations, want 1", name, inside)
			}
		}
	})
}

// TestIdleUnitIsSmall makes a million units.
func TestIdleUnitIsSmall(t *testing.T) {
	const million = 1_000_000
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	type state struct{ x int64 }
	units := make([]*freerun.Unit[state], million)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range units {
		units[i] = freerun.NewUnit(rt, state{int64(i)})
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := float64(after.HeapAlloc-before.HeapAlloc)/million - 8
	t.Logf("%.0f bytes a unit beside its state", each)
	if each > 160 {
		t.Errorf("an idle unit costs %.0f bytes beside its state", each)
	}
	runtime.KeepAlive(units)
}

// TestArgumentIsDropped: once the future is resolved, the argument of its operation may be
// collected, though the future is kept.
func TestArgumentIsDropped(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	type big [1 << 16]byte
	arg := &big{}
	watched := weak.Make(arg)
	f := sizeOf.Send(rt.Context(), arg)
	if v := runtimetest.Must(t, f); v != 1<<16 {
		t.Error(v)
	}
	arg = nil
	if err := rt.Quiesce(context.Background()); err != nil {
		t.Error(err)
	}
	for range 100 {
		runtime.GC()
		if watched.Value() == nil {
			runtime.KeepAlive(f)
			return
		}
	}
	t.Error("the argument is still there")
}

var sizeOf = freerun.FreeOp("sizeOf", func(_ *freerun.Context, v any) (int, error) {
	return 1 << 16, nil
})
