package programs

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

// TestActivitiesWaitsForAll: activities start activities, and all have ended when Activities
// returns.
func TestActivitiesWaitsForAll(t *testing.T) {
	var ended atomic.Int64
	r, err := Activities(Config{Processors: 2}, 7, func(a *activity.Activity, crew *Crew) error {
		for range 10 {
			crew.Go(a, func(a *activity.Activity) error {
				crew.Go(a, func(a *activity.Activity) error {
					defer ended.Add(1)
					return a.Sleep(time.Millisecond)
				})
				a.Yield()
				ended.Add(1)
				return nil
			})
		}
		return nil
	})
	if err != nil || r.Operations != 7 || r.Elapsed <= 0 {
		t.Errorf("%+v, error %v", r, err)
	}
	if n := ended.Load(); n != 20 {
		t.Errorf("%d of 20 activities have ended", n)
	}
}

// TestActivitiesGivesUpWhenOneFails: other activities wait for something that the failing one
// should have done.
func TestActivitiesGivesUpWhenOneFails(t *testing.T) {
	fault := errors.New("fault")
	for name, root := range map[string]func(*activity.Activity, *Crew) error{
		"root": func(*activity.Activity, *Crew) error { return fault },
		"another": func(a *activity.Activity, crew *Crew) error {
			never := new(activity.Event)
			for range 5 {
				crew.Go(a, func(a *activity.Activity) error { return never.Wait(a) })
			}
			crew.Go(a, func(a *activity.Activity) error {
				a.Yield()
				return fault
			})
			return never.Wait(a)
		},
	} {
		if _, err := Activities(Config{Processors: 1}, 1, root); !errors.Is(err, fault) {
			t.Errorf("%s: error %v, want the fault", name, err)
		}
	}
}

// TestOnRuntimeClosesIt: the runtime has the right processors, and is closed whatever the run
// returns.
func TestOnRuntimeClosesIt(t *testing.T) {
	fault := errors.New("fault")
	for _, want := range []error{nil, fault} {
		var rt *freerun.Runtime
		_, err := OnRuntime(Config{Processors: 3}, func(made *freerun.Runtime) (Result, error) {
			rt = made
			return Result{}, want
		})
		if !errors.Is(err, want) {
			t.Errorf("error %v, want %v", err, want)
		}
		if n := len(rt.Stats().Processors); n != 3 {
			t.Errorf("%d processors, want 3", n)
		}
		if err := activity.Go(rt, func(*activity.Activity) {}).Wait(t.Context()); !errors.Is(err, freerun.ErrClosed) {
			t.Errorf("after the run: %v, want ErrClosed", err)
		}
	}
}
