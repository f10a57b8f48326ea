package submit

import (
	"strconv"

	"github.com/freerun-go/freerun/programs"
)

// Program is the program with all its variants but the rivals.
var Program = &programs.Program{
	Name:      "submit",
	Doc:       "one ordinary goroutine submits empty tasks and waits for all of them",
	Source:    "isolates the path of a task from outside; what pools of goroutines are for",
	Operation: "task submitted and run",
	Params: []programs.Param{
		{Name: programs.Size, Doc: "tasks in all", Default: 2_000_000, Quick: 200_000, Min: 10, Max: 100_000_000},
	},
	Variants: []programs.Variant{
		{Name: "tell", Kind: programs.Freerun, Doc: "a free operation by Tell; Quiesce waits for all", Outside: true, Run: runTell},
		{Name: "futures", Kind: programs.Freerun, Doc: "a free operation by Send; each future is waited for", Outside: true, Run: runFutures},
		Variant("goroutines", programs.PlainGo, "a goroutine for each task, and a sync.WaitGroup", startGoroutines),
	},
	Expected: func(v programs.Values) string { return strconv.Itoa(v.Get(programs.Size)) },
}

// Pool runs tasks. One goroutine calls its functions, one after another.
type Pool struct {
	// Submit hands over a task and returns before it has run. After an error the task does not run.
	Submit func(task func()) error
	// Wait returns after all submitted tasks have run.
	Wait func() error
	// Close ends the pool, outside the clock.
	Close func() error
}

// Start makes a pool of this many workers.
type Start func(workers int) (Pool, error)

// Variant returns the program written with such a pool.
func Variant(name string, kind programs.Kind, doc string, start Start) programs.Variant {
	return programs.Variant{Name: name, Kind: kind, Doc: doc, Run: func(cfg programs.Config) (programs.Result, error) {
		return run(start, cfg)
	}}
}

// run submits the tasks. All are the same function, so that no rival has to allocate for them.
func run(start Start, cfg programs.Config) (result programs.Result, err error) {
	pool, err := start(cfg.Processors)
	if err != nil {
		return result, err
	}
	defer func() {
		if closing := pool.Close(); err == nil {
			err = closing
		}
	}()
	count := newCount()
	cfg.Go(func() { result, err = submit(pool, cfg, count.add) })()
	if err != nil {
		return result, err
	}
	result.Checksum = strconv.FormatUint(count.total(), 10)
	return result, nil
}

// submit submits as many tasks as the size says, and measures until all have run.
func submit(pool Pool, cfg programs.Config, task func()) (result programs.Result, err error) {
	size := cfg.Values.Get(programs.Size)
	meter := cfg.StartMeter()
	for range size {
		if err := pool.Submit(task); err != nil {
			return result, err
		}
	}
	if err := pool.Wait(); err != nil {
		return result, err
	}
	return meter.Stop(uint64(size)), nil
}
