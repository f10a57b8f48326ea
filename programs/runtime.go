package programs

import "github.com/freerun-go/freerun"

// OnRuntime makes a runtime of as many processors as cfg has, calls run with it, and closes it. It waits, and must not be called by an operation.
func OnRuntime(cfg Config, run func(rt *freerun.Runtime) (Result, error)) (result Result, err error) {
	rt := freerun.New(freerun.Processors(cfg.Processors))
	defer func() {
		if closing := rt.Close(); err == nil {
			err = closing
		}
	}()
	return run(rt)
}
