package activity_test

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/sched"
)

// TestDiscardMidway stops a scheduler whose only processor is in a loop, while others are queued in
// the middle of code that ends when the test lets it, after Stop. They are found all, at any time
// before and after the end of the scheduler; they come to the end of that code, and end where they
// yield.
func TestDiscardMidway(t *testing.T) {
	const several = 4
	var begun atomic.Int32
	for name, midway := range map[string]func(a *activity.Activity, blocked *sync.WaitGroup){
		"preempted": func(a *activity.Activity, _ *sync.WaitGroup) {
			for begun.Load() != several+1 { // then there is somebody to yield to
				a.YieldMidway()
			}
		},
		"checked": func(a *activity.Activity, _ *sync.WaitGroup) {
			for begun.Load() != several+1 {
				a.CheckInserted(activity.Quantum + 1)
			}
		},
		"blocked": func(a *activity.Activity, blocked *sync.WaitGroup) { a.BlockMidway(blocked.Wait) },
		"locked": func(a *activity.Activity, blocked *sync.WaitGroup) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			a.BlockMidway(blocked.Wait)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := sched.New(sched.Config{Processors: 1})
			s.Start()
			begun.Store(0)
			var passed, deferred atomic.Int32
			var blocked sync.WaitGroup
			blocked.Add(1)
			over := make(chan struct{})
			var mu activity.Mutex
			var all []*activity.Activity
			start := func(name string, f func(a *activity.Activity)) {
				all = append(all, activity.Go(activity.On(s), func(a *activity.Activity) {
					defer deferred.Add(1)
					defer func() {
						if mu.Lock(a) == nil {
							mu.Unlock()
						}
					}()
					begun.Add(1)
					f(a)
					a.Yield()
					t.Error("has not ended")
				}, activity.Named(name)))
			}
			for range several {
				start("midway", func(a *activity.Activity) {
					midway(a, &blocked)
					<-over
					a.CheckInserted(activity.Quantum + 1)
					passed.Add(1)
				})
			}
			start("runs", func(a *activity.Activity) {
				for begun.Load() != several+1 { // it may begin before others, and must not end here
					a.YieldMidway()
				}
				<-over
			})
			for begun.Load() != several+1 {
				runtime.Gosched()
			}
			look := func() {
				names := activity.Begun(s)
				slices.Sort(names)
				if want := []string{"midway", "midway", "midway", "midway", "runs"}; !slices.Equal(names, want) {
					t.Errorf("%q have not ended, want %q", names, want)
				}
			}
			look()
			blocked.Done()
			stopped := make(chan struct{})
			go func() {
				defer close(stopped)
				s.Stop(time.After(50 * time.Millisecond))
			}()
			// While they are queued, and discarded.
			for ended := false; !ended && !t.Failed(); look() {
				select {
				case <-stopped:
					ended = true
				default:
				}
			}
			<-stopped
			for range 100 {
				look()
				runtime.Gosched()
			}
			if deferred.Load() != 0 {
				t.Errorf("%d have ended", deferred.Load())
			}
			close(over)
			for _, a := range all {
				if err := a.Wait(within(t)); err != activity.ErrClosed {
					t.Errorf("came to %v", err)
				}
			}
			if names := activity.Begun(s); names != nil {
				t.Errorf("%q have ended, and are found", names)
			}
			if passed.Load() != several || deferred.Load() != several+1 {
				t.Errorf("%d went on, and %d have run what they deferred", passed.Load(), deferred.Load())
			}
		})
	}
}

// TestLockedDiscarded has an activity go on after the end of its scheduler, lock itself to its
// thread, and be ended in the Wait of a Cond: it has the lock then, which two goroutines wait for.
func TestLockedDiscarded(t *testing.T) {
	s := sched.New(sched.Config{Processors: 1})
	s.Start()
	fair := new(activity.FairMutex)
	c := activity.NewCond(fair)
	over := make(chan struct{})
	var begun atomic.Int32
	var has atomic.Bool
	turns := 0
	a := activity.Go(activity.On(s), func(a *activity.Activity) {
		begun.Add(1)
		for begun.Load() != 2 {
			a.YieldMidway()
		}
		<-over
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := fair.Lock(context.Background()); err != nil {
			t.Error(err)
		}
		defer fair.Unlock()
		defer func() { turns++ }()
		has.Store(true)
		for activity.Waits(fair) != 2 {
			runtime.Gosched()
		}
		t.Error("went on:", c.Wait(a))
	})
	activity.Go(activity.On(s), func(a *activity.Activity) {
		begun.Add(1)
		for begun.Load() != 2 {
			a.Yield()
		}
		<-over
	})
	for begun.Load() != 2 {
		runtime.Gosched()
	}
	s.Stop(time.After(10 * time.Millisecond))
	close(over)
	for !has.Load() {
		runtime.Gosched()
	}
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			if err := fair.Lock(context.Background()); err != nil {
				t.Error(err)
			}
			time.Sleep(10 * time.Millisecond) // the activity waits for the lock meanwhile
			turns++
			fair.Unlock()
		})
	}
	if err := a.Wait(within(t)); err != activity.ErrClosed {
		t.Errorf("came to %v", err)
	}
	all.Wait()
	if turns != 3 {
		t.Errorf("the lock was had %d times", turns)
	}
}
