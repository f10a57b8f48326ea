package freerun_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// TestDrainingEndsOperations: operations and activities that would go on for ever learn of a
// Shutdown when it begins, and end. So Shutdown returns nil, and no context was done before.
func TestDrainingEndsOperations(t *testing.T) {
	bubble(t, func(t *testing.T, rt *freerun.Runtime) {
		events, handled := make(chan int), 0
		loop := freerun.Go(rt.Context(), func(c *freerun.Context) (error, error) {
			for {
				select {
				case <-events:
					handled++
				case <-c.Runtime().Draining():
					return c.Err(), nil
				}
			}
		})
		acts := activity.Go(rt, func(a *activity.Activity) {
			a.Block(func() { <-rt.Draining() })
		})
		select {
		case <-rt.Draining():
			t.Error("draining before the shutdown")
		default:
		}
		for range 3 {
			events <- 1
		}
		if err := rt.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if err := runtimetest.Must(t, loop); err != nil || handled != 3 {
			t.Errorf("%v, %d events were handled", err, handled)
		}
		if err := acts.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		<-rt.Draining()
	})
}

// TestDoneAtTheDeadline: an operation's context is done at the deadline of the Shutdown, not
// before, and its cause is ErrClosed.
func TestDoneAtTheDeadline(t *testing.T) {
	bubble(t, func(t *testing.T, rt *freerun.Runtime) {
		begun := time.Now()
		var drained, done time.Duration
		var cause error
		scope := rt.Scope(t.Context())
		freerun.Go(scope.Context(), func(c *freerun.Context) (int, error) {
			<-c.Runtime().Draining()
			drained = time.Since(begun)
			<-c.Done()
			done, cause = time.Since(begun), context.Cause(c)
			return 0, nil
		})
		time.Sleep(time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if err := rt.Shutdown(ctx); err != nil {
			t.Error(err) // the operation has returned within the grace, so nothing was left
		}
		if drained != time.Minute || done != time.Minute+time.Hour || cause != freerun.ErrClosed {
			t.Errorf("drained after %v, done after %v: %v", drained, done, cause)
		}
	})
}

// TestGrace: Close and Shutdown wait for an operation that ends within the grace. They name one
// that does not when the grace is over.
func TestGrace(t *testing.T) {
	for name, end := range map[string]func(rt *freerun.Runtime) error{
		"close": (*freerun.Runtime).Close,
		"shutdown": func(rt *freerun.Runtime) error {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			return rt.Shutdown(ctx)
		},
	} {
		for _, c := range []struct {
			option       []freerun.Option
			takes, waits time.Duration
		}{
			{nil, 999 * time.Millisecond, 999 * time.Millisecond},
			{nil, time.Minute, time.Second},
			{[]freerun.Option{freerun.Grace(10 * time.Second)}, 9 * time.Second, 9 * time.Second},
			{[]freerun.Option{freerun.Grace(10 * time.Second)}, time.Minute, 10 * time.Second},
			{[]freerun.Option{freerun.Grace(0)}, time.Minute, 0},
		} {
			synctest.Test(t, func(t *testing.T) {
				rt := freerun.New(append(c.option, freerun.Processors(1))...)
				began := make(chan struct{})
				freerun.Go(rt.Context(), func(ctx *freerun.Context) (int, error) {
					close(began)
					<-ctx.Done()
					time.Sleep(c.takes)
					return 0, nil
				})
				<-began
				begun := time.Now()
				err := end(rt)
				var left *freerun.ShutdownError
				named := errors.As(err, &left) && slices.ContainsFunc(left.Running, func(name string) bool { return name != "" })
				if waited := time.Since(begun); waited != c.waits || named != (c.takes > c.waits) {
					t.Errorf("%s: an operation of %v was waited for %v, and then: %v", name, c.takes, waited, err)
				}
				time.Sleep(time.Hour) // the operation returns
			})
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a grace below 0: no panic")
		}
	}()
	freerun.Grace(-1)
}
