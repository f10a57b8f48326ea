//go:build unix

package freerun_test

import (
	"os"
	"os/signal"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// TestEventsFromOutside: timers, signals and the completions of ordinary goroutines wake
// activities, each exactly those that waited for it.
func TestEventsFromOutside(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Processors(2))
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
