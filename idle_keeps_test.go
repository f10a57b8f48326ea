package freerun_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

type heavy struct{ _ [1 << 16]byte }

var (
	keepMake    = freerun.FreeOp("keep.make", func(*freerun.Context, int) (*heavy, error) { return &heavy{}, nil })
	keepForward = freerun.FreeOp("keep.forward", func(c *freerun.Context, n int) (*heavy, error) {
		return freerun.Forward(c, keepMake.Send(c, n))
	})
)

// TestIdleKeepsNothing: once all is done, processors keep nothing of what they did last: no scope
// with its values, no result, no argument.
func TestIdleKeepsNothing(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	type key struct{}
	gone := func(name string, do func() weak.Pointer[heavy]) {
		t.Helper()
		w := do()
		for range 1000 {
			if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
				t.Fatal(err)
			}
			runtime.GC()
			if w.Value() == nil {
				return
			}
		}
		t.Errorf("%s: is kept", name)
	}
	gone("a value of the last scope", func() weak.Pointer[heavy] {
		h := &heavy{}
		s := rt.Scope(context.WithValue(context.Background(), key{}, h))
		runtimetest.Tick.Tell(s.Context(), 1)
		runtimetest.Must(t, runtimetest.Tick.Send(s.Context(), 1))
		s.Cancel(nil)
		return weak.Make(h)
	})
	gone("a forwarded result", func() weak.Pointer[heavy] { return weak.Make(runtimetest.Must(t, keepForward.Send(rt.Context(), 1))) })
	gone("a result under a scope", func() weak.Pointer[heavy] {
		s := rt.Scope(context.Background())
		defer s.Cancel(nil)
		return weak.Make(runtimetest.Must(t, keepForward.Send(s.Context(), 1)))
	})
	gone("a result of Call", func() weak.Pointer[heavy] {
		h, err := keepForward.Call(context.Background(), rt, 1)
		if err != nil {
			t.Fatal(err)
		}
		return weak.Make(h)
	})
}

// TestFailFastLosesNothing: a FailFast scope reports the failure that it was canceled for, and
// those that only pass that failure on, so none of them counts as lost. A failure with another
// cause does.
func TestFailFastLosesNothing(t *testing.T) {
	rt, log := runtimetest.Start(t, freerun.Processors(2))
	s := rt.Scope(context.Background(), freerun.FailFast())
	first, other := errors.New("the first"), errors.New("another")
	began, ends := make(chan struct{}), make(chan struct{})
	for _, why := range []func(c *freerun.Context) error{
		func(c *freerun.Context) error { return context.Cause(c) },
		func(c *freerun.Context) error { return c.Err() },
		func(c *freerun.Context) error { return fmt.Errorf("because of %w", context.Cause(c)) },
		func(*freerun.Context) error { return other },
	} {
		failBecause.Tell(s.Context(), func(c *freerun.Context) error {
			var err error
			c.Block(func() { began <- struct{}{}; <-c.Done(); err = why(c); ends <- struct{}{} })
			return err
		})
	}
	for range 4 {
		<-began
	}
	failBecause.Tell(s.Context(), func(*freerun.Context) error { return first })
	for range 4 {
		<-ends
	}
	if err := s.Wait(runtimetest.Within(t)); !errors.Is(err, first) {
		t.Error(err)
	}
	if lost := rt.Stats().Lost; lost != 1 {
		t.Errorf("%d lost: %q", lost, log.Texts())
	}
	if texts := log.Texts(); len(texts) != 1 || !strings.Contains(texts[0], "another") {
		t.Errorf("%q", texts)
	}
}

var failBecause = freerun.FreeOp("failBecause", func(c *freerun.Context, why func(*freerun.Context) error) (int, error) {
	return 0, why(c)
})
