package programs

import "github.com/freerun-go/freerun"

// NewRuntime makes the runtime of a variant with the run's number of processors. Further options
// come after that one. The caller closes the runtime.
func (c Config) NewRuntime(options ...freerun.Option) *freerun.Runtime {
	create := c.Runtime
	if create == nil {
		create = freerun.New
	}
	return create(append([]freerun.Option{freerun.Processors(c.Processors)}, options...)...)
}

// OnRuntime makes a runtime with cfg's processors, calls run with it, and closes it. It waits, and
// must not be called by an operation.
func OnRuntime(cfg Config, run func(rt *freerun.Runtime) (Result, error)) (result Result, err error) {
	rt := cfg.NewRuntime()
	defer func() {
		if closing := rt.Close(); err == nil {
			err = closing
		}
	}()
	return run(rt)
}
