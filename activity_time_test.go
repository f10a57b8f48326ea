package freerun_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

// TestActivitiesInABubble: activities use the time of a testing/synctest bubble, and leave no
// goroutine in it.
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
