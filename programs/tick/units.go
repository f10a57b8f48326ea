package tick

import (
	"context"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/programs"
)

// counter is the state of the unit.
type counter struct{ done int }

var (
	task = freerun.Op("task", freerun.NoResult(func(_ *freerun.Context, c *counter, _ struct{}) error {
		c.done++
		return nil
	}))
	done = freerun.Op("done", func(_ *freerun.Context, c *counter, _ struct{}) (int, error) {
		return c.done, nil
	})
)

func runUnits(cfg programs.Config) (result programs.Result, err error) {
	rt := cfg.NewRuntime()
	defer func() {
		if closing := rt.Close(); err == nil {
			err = closing
		}
	}()
	unit, outside := freerun.NewUnit(rt, counter{}), rt.Context()
	return run(cfg.Values.Get(programs.Size),
		func() error { return task.Tell(outside, unit, struct{}{}) },
		func() (int, error) { return done.Send(outside, unit, struct{}{}).Wait(context.Background()) })
}
