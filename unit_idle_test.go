package freerun_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// TestOnIdle has a unit retire when it is idle, and one that is told again after each use.
func TestOnIdle(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	c := rt.Context()
	retired := freerun.NewPromise[int](c)
	u := freerun.NewUnit(rt, 7, freerun.OnIdle(2*time.Millisecond, func(c *freerun.Context, u *freerun.Unit[int], n *int) {
		freerun.Then(c, freerun.Retire(c, u), func(_ *freerun.Context, n int) (int, error) { retired.Resolve(n, nil); return n, nil })
	}))
	runtimetest.AddOne.Send(c, u, 1) // may come too late
	if n := runtimetest.Must(t, retired.Future()); n != 7 && n != 8 {
		t.Errorf("the state is %d", n)
	}
	if _, err := runtimetest.AddOne.Send(c, u, 1).Wait(t.Context()); !errors.Is(err, freerun.ErrStopped) {
		t.Error(err)
	}

	told := make(chan int, 10)
	v := freerun.NewUnit(rt, 0, freerun.OnIdle(time.Millisecond, func(_ *freerun.Context, _ *freerun.Unit[int], n *int) { told <- *n }))
	for round := range 5 {
		if n := <-told; n != round {
			t.Errorf("round %d: told of %d", round, n)
		}
		runtimetest.Must(t, runtimetest.AddOne.Send(c, v, 1))
	}
}

// TestOnIdleMisuse gives the option what it refuses.
func TestOnIdleMisuse(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	fn := func(*freerun.Context, *freerun.Unit[int], *int) {}
	for what, wrong := range map[string]func(){
		"too short":     func() { freerun.OnIdle(time.Microsecond, fn) },
		"nil":           func() { freerun.OnIdle[int](time.Second, nil) },
		"another state": func() { freerun.NewUnit(rt, "", freerun.OnIdle(time.Second, fn)) },
		"a kind": func() {
			freerun.NewKind("idleKind", func(*freerun.Context, int) (int, error) { return 0, nil }, freerun.OnIdle(time.Second, fn))
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", what)
				}
			}()
			wrong()
		}()
	}
}

// TestOnIdlePanics has the function panic: that is a fault of the unit, and the unit is told again.
func TestOnIdlePanics(t *testing.T) {
	rt := runtimetest.Quiet(t)
	c := rt.Context()
	faults := make(chan freerun.PanicReport, 10)
	u := freerun.NewUnit(rt, 7, freerun.OnPanic(func(r freerun.PanicReport) { faults <- r }),
		freerun.OnIdle(time.Millisecond, func(*freerun.Context, *freerun.Unit[int], *int) { panic("not idle") }))
	for range 2 {
		if r := <-faults; r.Err.Value != "not idle" {
			t.Errorf("%+v", r)
		}
		runtimetest.Must(t, runtimetest.AddOne.Send(c, u, 1))
	}
	rt.Close()
	if s := rt.Stats(); s.Sent != s.Done {
		t.Errorf("%d sent, %d done", s.Sent, s.Done)
	}
}

// TestOnIdleSuspended holds that a suspended unit is not idle, and that a Shutdown does not wait
// for a look.
func TestOnIdleSuspended(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	c := rt.Context()
	var calls atomic.Int64
	u := freerun.NewUnit(rt, 7, freerun.OnIdle(time.Millisecond, func(*freerun.Context, *freerun.Unit[int], *int) { calls.Add(1) }))
	p := freerun.NewPromise[int](c)
	s := freerun.Suspend(c, u, p.Future())
	awaitSuspended(t, rt, 1)
	before := calls.Load()
	for range 10 {
		runtimetest.Must(t, freerun.After(c, time.Millisecond))
	}
	if calls.Load() != before {
		t.Error("it was told while the unit was suspended")
	}
	p.Resolve(1, nil)
	runtimetest.Must(t, s)
	for ctx := runtimetest.Within(t); calls.Load() == before && ctx.Err() == nil; time.Sleep(time.Millisecond) {
	}
	if calls.Load() == before {
		t.Error("it was never told")
	}
	if err := rt.Shutdown(runtimetest.Within(t)); err != nil {
		t.Error(err)
	}
}
