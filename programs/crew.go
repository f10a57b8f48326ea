package programs

import (
	"context"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

// Crew starts the activities of a run. [Activities] makes one.
type Crew struct{ fail context.CancelCauseFunc }

// Activities runs root as an activity, on a runtime with cfg's processors. It measures until root,
// and all activities that the crew started, have ended. It returns the first error of an activity.
// It waits, and must not be called by an activity or an operation.
func Activities(cfg Config, operations uint64, root func(a *activity.Activity, crew *Crew) error) (Result, error) {
	return OnRuntime(cfg, func(rt *freerun.Runtime) (Result, error) {
		ctx, fail := context.WithCancelCause(context.Background())
		defer fail(nil)
		crew := &Crew{fail}
		meter := cfg.StartMeter()
		crew.Go(rt, func(a *activity.Activity) error { return root(a, crew) })
		err := rt.Quiesce(ctx)
		result := meter.Stop(operations)
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return result, err
	})
}

// Go starts a task as an activity. An error of the task ends the run with that error, and abandons
// the activities that have not ended. Any goroutine may call it; it does not wait.
func (c *Crew) Go(where activity.Starter, task func(a *activity.Activity) error) {
	activity.Go(where, func(a *activity.Activity) {
		if err := task(a); err != nil {
			c.fail(err)
		}
	})
}
