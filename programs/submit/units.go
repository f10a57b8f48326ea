package submit

import (
	"context"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/programs"
)

// work runs a task.
var work = freerun.FreeOp("work", func(_ *freerun.Context, task func()) (struct{}, error) {
	task()
	return struct{}{}, nil
})

func runTell(cfg programs.Config) (programs.Result, error) {
	return run(func(int) (Pool, error) {
		rt := cfg.NewRuntime()
		outside := rt.Context()
		return Pool{
			Submit: func(task func()) error { return work.Tell(outside, task) },
			Wait:   func() error { return rt.Quiesce(context.Background()) },
			Close:  rt.Close,
		}, nil
	}, cfg)
}

// runFutures keeps the futures in a slice, which it makes before the clock starts, and waits for
// them in turn.
func runFutures(cfg programs.Config) (programs.Result, error) {
	size := cfg.Values.Get(programs.Size)
	futures := make([]freerun.Future[struct{}], 0, size)
	start := func(int) (Pool, error) {
		rt := cfg.NewRuntime()
		outside := rt.Context()
		return Pool{
			Submit: func(task func()) error {
				futures = append(futures, work.Send(outside, task))
				return nil
			},
			Wait: func() error {
				for _, f := range futures {
					if _, err := f.Wait(context.Background()); err != nil {
						return err
					}
				}
				return nil
			},
			Close: rt.Close,
		}, nil
	}
	return run(start, cfg)
}
