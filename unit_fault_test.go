package freerun_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// breakIt leaves a unit's state half changed.
var breakIt = freerun.Op("breakIt", func(_ *freerun.Context, n *int, exit bool) (int, error) {
	*n += 1000
	if exit {
		runtime.Goexit()
	}
	panic("broken")
})

func TestKeepOnPanicIsTheDefault(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	u := freerun.NewUnit(rt, 7)
	breakIt.Send(rt.Context(), u, false)
	if n := runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), u, 0)); n != 1007 {
		t.Errorf("the state is %d", n)
	}
}

func TestRestartOnPanic(t *testing.T) {
	for _, exit := range []bool{false, true} {
		rt, _ := runtimetest.Start(t)
		faults := make(chan freerun.PanicReport, 10)
		u := freerun.NewUnit(rt, 7, freerun.RestartOnPanic(func() int { return 5 }, 3, time.Hour),
			freerun.OnPanic(func(f freerun.PanicReport) { faults <- f }))
		for i := range 3 {
			f := breakIt.Send(rt.Context(), u, exit)
			next := runtimetest.AddOne.Send(rt.Context(), u, 1)
			var p *freerun.PanicError
			if _, err := f.Wait(runtimetest.Within(t)); !errors.As(err, &p) || errors.Is(err, freerun.ErrStopped) {
				t.Fatalf("the broken operation: %v", err)
			}
			if n := runtimetest.Must(t, next); n != 6 {
				t.Fatalf("the state after a restart is %d", n)
			}
			if got := <-faults; got.Stopped || got.Restarts != i+1 || got.Err != p {
				t.Errorf("the hook was told %+v of %v", got, p)
			}
		}
		breakIt.Send(rt.Context(), u, exit)
		queued := runtimetest.AddOne.Send(rt.Context(), u, 1)
		if _, err := queued.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrStopped) || !strings.Contains(err.Error(), "after 3 restarts") {
			t.Fatalf("after more restarts than allowed: %v", err)
		}
		if got := <-faults; !got.Stopped || got.Restarts != 3 {
			t.Errorf("the hook was told %+v", got)
		}
		if s := u.Stats(); s.Restarts != 3 {
			t.Errorf("stats %+v", s)
		}
	}
}

// TestRestartsOutsideTheWindow restarts more often than allowed at a time, but over a longer time.
func TestRestartsOutsideTheWindow(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	u := freerun.NewUnit(rt, 7, freerun.RestartOnPanic(func() int { return 5 }, 1, time.Nanosecond))
	for range 20 {
		breakIt.Send(rt.Context(), u, false)
		time.Sleep(time.Microsecond)
	}
	if n := runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), u, 0)); n != 5 {
		t.Errorf("the state is %d", n)
	}
}

func TestStopOnPanic(t *testing.T) {
	rt, j := runtimetest.Start(t)
	u := freerun.NewUnit(rt, 7, freerun.StopOnPanic())
	f := breakIt.Send(rt.Context(), u, false)
	if _, err := f.Wait(runtimetest.Within(t)); errors.Is(err, freerun.ErrStopped) {
		t.Errorf("the operation that stopped the unit: %v", err)
	}
	_, err := runtimetest.AddOne.Send(rt.Context(), u, 1).Wait(runtimetest.Within(t))
	var p *freerun.PanicError
	if !errors.Is(err, freerun.ErrStopped) || !errors.As(err, &p) || p.Value != "broken" || !strings.Contains(err.Error(), "freerun_test.breakIt") {
		t.Errorf("a message to a stopped unit: %v", err)
	}
	runtimetest.AddOne.Tell(rt.Context(), u, 1)
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	if s := rt.Stats(); s.Sent != s.Done || s.Lost != 1 || s.Failed != 3 {
		t.Errorf("stats %+v", s)
	}
	if log := strings.Join(j.Texts(), "\n"); !strings.Contains(log, "unit is stopped") {
		t.Errorf("the lost message was not reported: %q", log)
	}
}

// TestFaultyPolicies has the user's function in a policy panic, and end its goroutine.
func TestFaultyPolicies(t *testing.T) {
	rt, j := runtimetest.Start(t, freerun.Processors(1))
	for name, fail := range map[string]func(){"panic": func() { panic("factory") }, "exit": runtime.Goexit} {
		u := freerun.NewUnit(rt, 1, freerun.RestartOnPanic(func() int { fail(); return 0 }, 5, time.Hour))
		breakIt.Send(rt.Context(), u, false)
		if _, err := runtimetest.AddOne.Send(rt.Context(), u, 1).Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrStopped) || !strings.Contains(err.Error(), "factory") {
			t.Errorf("%s in a factory: %v", name, err)
		}
		v := freerun.NewUnit(rt, 1, freerun.OnPanic(func(freerun.PanicReport) { fail() }))
		breakIt.Send(rt.Context(), v, false)
		if n := runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), v, 0)); n != 1001 {
			t.Errorf("%s in a hook: the state is %d", name, n)
		}
	}
	if log := strings.Join(j.Texts(), "\n"); !strings.Contains(log, "hook panicked") {
		t.Errorf("the hook was not reported: %q", log)
	}
}

// TestFaultOfSeveralUnits: a panic of an operation on several units is a fault of each of them. No
// such operation runs if one of its units is stopped.
func TestFaultOfSeveralUnits(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	kept := freerun.NewUnit(rt, 1)
	restarted := freerun.NewUnit(rt, 1, freerun.RestartOnPanic(func() int { return 50 }, 3, time.Hour))
	stopped := freerun.NewUnit(rt, 1, freerun.StopOnPanic())
	broken := freerun.WhenAll(rt.Context(), []*freerun.Unit[int]{kept, restarted, stopped}, func(_ *freerun.Context, states []*int) (int, error) {
		for _, s := range states {
			*s = 9
		}
		panic("broken")
	})
	next := freerun.When2(rt.Context(), stopped, kept, func(*freerun.Context, *int, *int) (int, error) { return 0, nil })
	var p *freerun.PanicError
	if _, err := broken.Wait(runtimetest.Within(t)); !errors.As(err, &p) || errors.Is(err, freerun.ErrStopped) {
		t.Errorf("the broken operation: %v", err)
	}
	if _, err := next.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrStopped) {
		t.Errorf("an operation on a stopped unit and another: %v", err)
	}
	if a, b := runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), kept, 0)), runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), restarted, 0)); a != 9 || b != 50 {
		t.Errorf("the states are %d and %d", a, b)
	}
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	if s := rt.Stats(); s.Sent != s.Done {
		t.Errorf("stats %+v", s)
	}
}
