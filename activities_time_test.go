package freerun_test

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

// TestActivitiesInABubble: time is that of a testing/synctest bubble, and no goroutine is left in it.
func TestActivitiesInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt := freerun.New(freerun.Processors(2))
		defer rt.Close()
		begun := time.Now()
		var all []*activity.Activity
		for i := range 20 {
			all = append(all, activity.Go(rt, func(a *activity.Activity) {
				for range 3 {
					if err := a.Sleep(time.Duration(i) * time.Minute); err != nil {
						t.Error(err)
					}
				}
				if passed := time.Since(begun); passed != time.Duration(3*i)*time.Minute {
					t.Errorf("%d slept %v", i, passed)
				}
				ctx, cancel := context.WithTimeout(a, time.Hour)
				defer cancel()
				other := activity.Go(a, func(a *activity.Activity) { a.Sleep(3 * time.Hour) })
				before := time.Now()
				if err := other.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(before) != time.Hour {
					t.Errorf("%v after %v", err, time.Since(before))
				}
			}))
		}
		for _, a := range all {
			if err := a.Wait(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if err := rt.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if passed := time.Since(begun); passed != 57*time.Minute+3*time.Hour {
			t.Errorf("the end came after %v", passed)
		}
	})
}

// TestEventsFromOutside: timers, signals and what ordinary goroutines complete wake activities, each exactly those that waited for it.
func TestEventsFromOutside(t *testing.T) {
	rt := quiet(t, freerun.Processors(2))
	const rounds, waiting = 20, 50
	for range rounds {
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGUSR1)
		completed := make(chan struct{})
		var woken atomic.Int64
		var all []*activity.Activity
		sources := []*activity.Activity{
			activity.Go(rt, func(a *activity.Activity) { a.Sleep(time.Millisecond) }),
			activity.Go(rt, func(a *activity.Activity) { a.Block(func() { <-signals }) }),
			activity.Go(rt, func(a *activity.Activity) { a.Block(func() { <-completed }) }),
		}
		for i := range waiting {
			all = append(all, activity.Go(rt, func(a *activity.Activity) {
				if err := sources[i%len(sources)].Wait(a); err != nil {
					t.Error(err)
				}
				woken.Add(1)
			}))
		}
		var outside sync.WaitGroup
		outside.Go(func() { close(completed) })
		outside.Go(func() {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Signal(syscall.SIGUSR1)
			}
			if err != nil {
				t.Error(err)
			}
		})
		for _, a := range all {
			if err := a.Wait(t.Context()); err != nil {
				t.Error(err)
			}
		}
		outside.Wait()
		signal.Stop(signals)
		if woken.Load() != waiting {
			t.Errorf("%d were woken", woken.Load())
		}
	}
	runtime.KeepAlive(rt)
}
