package freerun_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

func TestFutureOutside(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	g := runtimetest.NewGate()
	f := freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { g.Pass(); return 9, nil })
	<-g.Entered
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for range 1000 { // a wait that is given up leaves nothing behind
		if _, err := f.Wait(cancelled); !errors.Is(err, context.Canceled) {
			t.Fatalf("Wait with a cancelled context: %v", err)
		}
	}
	done := f.Done()
	if f.Done() != done {
		t.Error("Done returned another channel")
	}
	select {
	case <-done:
		t.Error("done before the operation was")
	default:
	}
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			if v, err := f.Wait(runtimetest.Within(t)); v != 9 || err != nil {
				t.Errorf("%d, %v", v, err)
			}
		})
	}
	close(g.Opened)
	wg.Wait()
	<-done
	<-f.Done()
	// An outcome comes before a canceled context.
	if v, err := f.Wait(cancelled); v != 9 || err != nil {
		t.Errorf("%d, %v", v, err)
	}
	if f.Value() != 9 {
		t.Error(f.Value())
	}
}

func TestResolvedAndFailed(t *testing.T) {
	boom := errors.New("boom")
	if v, err := freerun.Resolved("x").Wait(t.Context()); v != "x" || err != nil {
		t.Errorf("%q, %v", v, err)
	}
	if _, err := freerun.Failed[string](boom).Result(); err != boom {
		t.Error(err)
	}
	<-freerun.Resolved(1).Done()
}

// panics returns the value with which f panics.
func panics(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// TestMisuse holds that each misuse has a clear answer, at once.
func TestMisuse(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	u := freerun.NewUnit(rt, 0)
	var none freerun.Future[int]
	if _, err := none.Wait(t.Context()); !errors.Is(err, freerun.ErrNoFuture) {
		t.Errorf("Wait for the zero Future: %v", err)
	}
	if _, err := none.Result(); !errors.Is(err, freerun.ErrNoFuture) {
		t.Errorf("Result of the zero Future: %v", err)
	}
	if _, err := runtimetest.AddTwo.Send(rt.Context(), runtimetest.Pair{}).Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrNoFuture) {
		t.Errorf("Value of a zero Future in an argument: %v", err)
	}
	g := runtimetest.NewGate()
	open := freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { g.Pass(); return 1, nil })
	defer close(g.Opened)
	var nobody *freerun.Unit[int]
	var nowhere *freerun.Context
	var noContext context.Context
	for name, f := range map[string]func(){
		"Value of the zero Future":      func() { none.Value() },
		"Done of the zero Future":       func() { none.Done() },
		"Value of an open future":       func() { open.Value() },
		"Value of a failed future":      func() { freerun.Failed[int](errors.New("boom")).Value() },
		"Failed with nil":               func() { freerun.Failed[int](nil) },
		"Send to nil":                   func() { runtimetest.AddOne.Send(rt.Context(), nobody, 1) },
		"Tell to nil":                   func() { runtimetest.AddOne.Tell(rt.Context(), nobody, 1) },
		"Send through nil":              func() { runtimetest.AddOne.Send(nowhere, u, 1) },
		"Send through a zero Context":   func() { runtimetest.AddOne.Send(&freerun.Context{}, u, 1) },
		"Send to a zero Unit":           func() { runtimetest.AddOne.Send(rt.Context(), &freerun.Unit[int]{}, 1) },
		"Do with nil":                   func() { freerun.Do[int, int](rt.Context(), u, nil) },
		"Go with nil":                   func() { freerun.Go[int](rt.Context(), nil) },
		"Then with nil":                 func() { freerun.Then[int, int](rt.Context(), open, nil) },
		"Then2 with nil":                func() { freerun.Then2[int, int, int](rt.Context(), open, open, nil) },
		"Handle with nil":               func() { freerun.Handle[int, int](rt.Context(), open, nil) },
		"Close of a zero Runtime":       func() { new(freerun.Runtime).Close() },
		"Quiesce of a nil Runtime":      func() { (*freerun.Runtime)(nil).Quiesce(t.Context()) },
		"Op with nil":                   func() { opWithNil.Send(rt.Context(), u, 1) },
		"FreeOp with nil":               func() { freeOpWithNil.Send(rt.Context(), 1) },
		"a name used twice":             func() { freerun.FreeOp("addOne", func(*freerun.Context, int) (int, error) { return 0, nil }) },
		"no name":                       func() { freerun.FreeOp("", func(*freerun.Context, int) (int, error) { return 0, nil }) },
		"an operation not declared":     func() { new(freerun.FreeOperation[int, int]).Send(rt.Context(), 1) },
		"an operation never assigned":   func() { neverAssigned.Tell(rt.Context(), u, 1) },
		"Processors(0)":                 func() { freerun.New(freerun.Processors(0)) },
		"Logger(nil)":                   func() { freerun.New(freerun.Logger(nil)) },
		"NewUnit without a runtime":     func() { freerun.NewUnit(nil, 0) },
		"MailboxLimit without room":     func() { freerun.MailboxLimit(0, freerun.WaitForRoom) },
		"MailboxLimit without a policy": func() { freerun.MailboxLimit(1, 0) },
		"NewUnit of a zero Runtime":     func() { freerun.NewUnit(new(freerun.Runtime), 0) },
		"NewUnit with a zero option":    func() { freerun.NewUnit(rt, 0, freerun.UnitOption{}) },
		"RestartOnPanic without":        func() { freerun.RestartOnPanic[int](nil, 1, time.Second) },
		"RestartOnPanic with 0":         func() { freerun.RestartOnPanic(zero, 0, time.Second) },
		"RestartOnPanic in no time":     func() { freerun.RestartOnPanic(zero, 1, 0) },
		"RestartOnPanic of another":     func() { freerun.NewUnit(rt, "", freerun.RestartOnPanic(zero, 1, time.Second)) },
		"Watchdog in no time":           func() { freerun.Watchdog(0, 1) },
		"Watchdog with a debt":          func() { freerun.Watchdog(1, -1) },
		"OnLate with nil":               func() { freerun.OnLate(nil) },
		"Resize to 0":                   func() { rt.Resize(0) },
		"OnPanic with nil":              func() { freerun.OnPanic(nil) },
		"Wait with a nil context":       func() { open.Wait(noContext) },
		"Forward through a nil context": func() { freerun.Forward(nowhere, open) },
	} {
		value := panics(f)
		if _, ok := value.(runtime.Error); ok || value == nil {
			t.Errorf("%s: panicked with %v", name, value)
		}
	}
}

func zero() int { return 0 }

var (
	opWithNil     = freerun.Op[int, int, int]("opWithNil", nil)
	freeOpWithNil = freerun.FreeOp[int, int]("freeOpWithNil", nil)
)

var neverAssigned *freerun.Operation[int, int, int]
