package freerun_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// TestSendFromAForeignGoroutine sends through the context of a running operation, and of one that
// has ended, from goroutines that do not run the operation: all take the path from outside, and
// arrive.
func TestSendFromAForeignGoroutine(t *testing.T) {
	const goroutines, each = 4, 500
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	u := freerun.NewUnit(rt, 0)
	contexts := make(chan *freerun.Context, 1)
	g := runtimetest.NewGate()
	f := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
		contexts <- c
		g.Pass()
		for range each {
			if err := runtimetest.AddOne.Tell(c, u, 1); err != nil {
				return 0, err
			}
		}
		return 0, nil
	})
	kept := <-contexts
	<-g.Entered
	send := func() {
		for range each {
			if err := runtimetest.AddOne.Tell(kept, u, 1); err != nil {
				t.Error(err)
			}
		}
	}
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(send)
	}
	close(g.Opened)
	wg.Wait()
	runtimetest.Must(t, f)
	send() // after the operation
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	want := (goroutines + 2) * each
	if n := runtimetest.Must(t, runtimetest.AddOne.Send(kept, u, 0)); n != want {
		t.Errorf("%d of %d messages arrived", n, want)
	}
	if _, err := freerun.Forward(kept, freerun.Future[int]{}); !errors.Is(err, freerun.ErrNoFuture) {
		t.Error(err)
	}
}

func TestContextIsAContext(t *testing.T) {
	rt := freerun.New(freerun.Processors(1))
	var kept *freerun.Context
	runtimetest.Must(t, freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) { kept = c; return 0, nil }))
	for _, c := range []*freerun.Context{kept, rt.Context()} {
		if _, ok := c.Deadline(); ok || c.Err() != nil || c.Value("key") != nil || c.Runtime() != rt {
			t.Errorf("deadline %v, error %v, value %v", ok, c.Err(), c.Value("key"))
		}
	}
	derived, cancel := context.WithTimeout(kept, time.Hour)
	defer cancel()
	called := make(chan bool, 3)
	stopThis := kept.AfterFunc(func() { t.Error("a stopped function was called") })
	kept.AfterFunc(func() { called <- true })
	if !stopThis() || stopThis() {
		t.Error("stop must tell once that it stopped the function")
	}
	if err := rt.Close(); err != nil {
		t.Error(err)
	}
	<-derived.Done()
	<-called
	if !errors.Is(derived.Err(), context.Canceled) || !errors.Is(kept.Err(), context.Canceled) {
		t.Errorf("after Close: %v, %v", derived.Err(), kept.Err())
	}
	kept.AfterFunc(func() { called <- true })
	<-called
}

// TestSynctest uses a runtime inside a bubble. An idle runtime is durably blocked, so time goes on.
// The runtime can be closed inside.
func TestSynctest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt := freerun.New(freerun.Processors(3))
		u := freerun.NewUnit(rt, 0)
		begin := time.Now()
		time.AfterFunc(time.Hour, func() { runtimetest.AddOne.Tell(rt.Context(), u, 1) })
		synctest.Wait()
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if v, err := runtimetest.AddOne.Send(rt.Context(), u, 0).Wait(t.Context()); v != 1 || err != nil {
			t.Errorf("%d, %v", v, err)
		}
		if passed := time.Since(begin); passed != 2*time.Hour {
			t.Errorf("%v passed", passed)
		}
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	})
}
