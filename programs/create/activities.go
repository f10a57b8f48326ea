package create

import (
	"context"
	"strconv"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/programs"
)

// runActivities creates the tasks in an activity, which lets no other task run before its batch is
// complete. So with one processor the whole batch waits for its turn.
func runActivities(cfg programs.Config) (programs.Result, error) {
	w := newWork(cfg.Values)
	result, err := programs.Activities(cfg, w.operations(), func(a *activity.Activity, _ *programs.Crew) error {
		var done activity.Event
		task := func(*activity.Activity) {
			if w.last() {
				done.Set()
			}
		}
		for range w.batches {
			done.Reset()
			w.begin()
			for range w.batch {
				activity.Go(a, task)
			}
			if err := done.Wait(a); err != nil {
				return err
			}
			w.end()
		}
		return nil
	})
	if err != nil {
		return result, err
	}
	result.Checksum = strconv.Itoa(w.ended)
	result.Figures, err = w.memory(holdActivities)
	return result, err
}

// holdActivities creates the tasks in an operation, which occupies the only processor meanwhile.
func holdActivities(tasks int) (bytes uint64, err error) {
	rt := freerun.New(freerun.Processors(1), freerun.Watchdog(time.Hour, 0))
	defer func() {
		if closing := rt.Close(); err == nil {
			err = closing
		}
	}()
	task := func(*activity.Activity) {}
	bytes, err = freerun.Go(rt.Context(), func(c *freerun.Context) (uint64, error) {
		before := live()
		for range tasks {
			activity.Go(c, task)
		}
		return grown(before), nil
	}).Wait(context.Background())
	if err != nil {
		return bytes, err
	}
	return bytes, rt.Quiesce(context.Background())
}
