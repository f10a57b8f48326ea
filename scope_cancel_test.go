package freerun_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// TestScopeCancel: each message either is run, or fails with ErrCanceled and the cause, never both.
// After Cancel has returned, none is started.
func TestScopeCancel(t *testing.T) {
	cause := errors.New("enough")
	for round := range 50 {
		rt, _ := runtimetest.Start(t, freerun.Processors(2))
		s := rt.Scope(context.Background(), freerun.ScopeName("flood"))
		var started, after atomic.Int64
		var over atomic.Bool
		units := []*freerun.Unit[int]{freerun.NewUnit(rt, 0), freerun.NewUnit(rt, 0)}
		var futures [200]freerun.Future[int]
		for i := range futures {
			futures[i] = freerun.Do(s.Context(), units[i%2], func(*freerun.Context, *int) (int, error) {
				if started.Add(1); over.Load() {
					after.Add(1)
				}
				return 1, nil
			})
			if i == 4*round {
				go func() { s.Cancel(cause); over.Store(true) }()
			}
		}
		if err := s.Wait(runtimetest.Within(t)); err != nil && !errors.Is(err, freerun.ErrCanceled) {
			t.Fatal(err)
		}
		okay := int64(0)
		for _, f := range futures {
			v, err := f.Result()
			switch {
			case err == nil && v == 1:
				okay++
			case !errors.Is(err, freerun.ErrCanceled) || !errors.Is(err, cause):
				t.Fatalf("%v, %v", v, err)
			}
		}
		if okay != started.Load() {
			t.Fatalf("%d started, %d with a result", started.Load(), okay)
		}
		if n := after.Load(); n > 2 { // on each processor, one may have begun before
			t.Errorf("%d were started after Cancel had returned", n)
		}
		rt.Close()
	}
}

// TestScopeCancelSeen: operations see that their scope is canceled, and why. A message that waits
// for a future fails when that is resolved. Later sends are refused.
func TestScopeCancelSeen(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	type key struct{}
	deadline := time.Now().Add(time.Hour)
	ctx, cancel := context.WithDeadline(context.WithValue(context.Background(), key{}, "value"), deadline)
	defer cancel()
	s := rt.Scope(ctx)
	cause := errors.New("enough")
	g := runtimetest.NewGate()
	seen := freerun.Go(s.Context(), func(c *freerun.Context) (string, error) {
		if d, ok := c.Deadline(); !ok || !d.Equal(deadline) || c.Value(key{}) != "value" || c.Scope() != s {
			t.Error("deadline, value or scope does not show")
		}
		close(g.Entered)
		<-c.Done()
		return fmt.Sprint(c.Err(), ", ", context.Cause(c)), nil
	})
	<-g.Entered
	hold := runtimetest.NewGate()
	outside := freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { hold.Pass(); return 1, nil })
	<-hold.Entered
	waits := freerun.Then(s.Context(), outside, func(*freerun.Context, int) (int, error) { t.Error("was started"); return 0, nil })
	if err := laterOn.Tell(s.Context(), outside); err != nil {
		t.Error(err)
	}
	s.Cancel(cause)
	s.Cancel(errors.New("too late"))
	if text := runtimetest.Must(t, seen); text != "context canceled, enough" {
		t.Error(text)
	}
	if _, err := runtimetest.Tick.Send(s.Context(), 1).Result(); !errors.Is(err, freerun.ErrCanceled) || !errors.Is(err, cause) {
		t.Errorf("sent later: %v", err)
	}
	if err := runtimetest.Tick.Tell(s.Context(), 1); !errors.Is(err, freerun.ErrCanceled) {
		t.Errorf("told later: %v", err)
	}
	close(hold.Opened)
	if _, err := waits.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCanceled) || !errors.Is(err, cause) {
		t.Errorf("what waited for a future: %v", err)
	}
	if err := s.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCanceled) || !strings.Contains(err.Error(), "enough") {
		t.Errorf("Wait: %v", err)
	}
	runtimetest.Must(t, outside)
}

var laterOn = freerun.FreeOp("laterOn", func(_ *freerun.Context, f freerun.Future[int]) (int, error) { return f.Value(), nil })

// TestScopeContextIsAContext: contexts derived from a scope's context start no goroutine, and end
// with it at once.
func TestScopeContextIsAContext(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	s := rt.Scope(t.Context())
	kept := runtimetest.Must(t, freerun.Go(s.Context(), func(c *freerun.Context) (any, error) { return c, nil })).(*freerun.Context)
	// Another context key becomes the active one of the worker.
	runtimetest.Must(t, runtimetest.Tick.Send(rt.Context(), 1))
	before := runtime.NumGoroutine()
	derived := make([]context.Context, 100)
	for i := range derived {
		var cancel context.CancelFunc
		derived[i], cancel = context.WithTimeout([]context.Context{kept, s.Context()}[i%2], time.Hour)
		defer cancel()
	}
	if n := runtime.NumGoroutine(); n > before+1 {
		t.Errorf("%d goroutines more", n-before)
	}
	called := make(chan bool)
	kept.AfterFunc(func() { close(called) })
	s.Cancel(nil)
	for _, d := range append(derived, kept, s.Context()) {
		if !errors.Is(d.Err(), context.Canceled) || !errors.Is(context.Cause(d), context.Canceled) {
			t.Errorf("derived: %v", d.Err())
		}
	}
	<-called
}

// TestScopeDeadline: a scope ends at the deadline of its context, here in a bubble's fake time.
func TestScopeDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt := freerun.New(freerun.Processors(2))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		s := rt.Scope(ctx)
		f := freerun.Go(s.Context(), func(c *freerun.Context) (int, error) { <-c.Done(); return 0, context.Cause(c) })
		if err := s.Wait(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Wait: %v", err)
		}
		if _, err := f.Result(); err != context.DeadlineExceeded {
			t.Errorf("the operation: %v", err)
		}
		if _, err := runtimetest.Tick.Send(s.Context(), 1).Result(); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, freerun.ErrCanceled) {
			t.Errorf("sent later: %v", err)
		}
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestScopeOfAnotherRuntime: a scope made with the context of another runtime ends with that
// runtime.
func TestScopeOfAnotherRuntime(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	other, _ := runtimetest.Start(t)
	s := rt.Scope(other.Context())
	other.Close()
	select {
	case <-s.Context().Done():
	case <-runtimetest.Within(t).Done():
		t.Error("the scope has not ended")
	}
}

// TestScopeCancelEndsTimersBelow: when Cancel of a scope returns, the timers of scopes below have
// failed, even where the scopes between have no timers. A scope that has ended is enrolled in no
// other.
func TestScopeCancelEndsTimersBelow(t *testing.T) {
	rt := runtimetest.Quiet(t)
	for round := range 300 {
		top := rt.Scope(t.Context())
		middle := rt.Scope(top.Context())
		bottom := rt.Scope(middle.Context())
		ended := rt.Scope(middle.Context())
		over := freerun.After(ended.Context(), time.Hour)
		ended.Cancel(nil)
		var all []freerun.Future[time.Time]
		for i := range 10 {
			all = append(all, freerun.After([]*freerun.Scope{bottom, top, bottom}[i%3].Context(), time.Hour))
		}
		top.Cancel(nil)
		for _, f := range append(all, over) {
			if _, err := f.Result(); !errors.Is(err, freerun.ErrCanceled) {
				t.Fatalf("round %d: %v", round, err)
			}
		}
	}
}
