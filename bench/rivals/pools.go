package rivals

import (
	"runtime"
	"sync"
	"time"

	"github.com/alitto/pond/v2"
	"github.com/panjf2000/ants/v2"
	"github.com/sourcegraph/conc/pool"
)

// AntsPool is a pool of ants. The pool has no way to wait for its tasks, so the tasks count
// themselves, as in the examples of ants.
func AntsPool() (submit func(func()), wait, stop func()) {
	workers, err := ants.NewPool(runtime.GOMAXPROCS(0))
	must(err)
	var group sync.WaitGroup
	return func(task func()) {
			group.Add(1)
			must(workers.Submit(func() {
				defer group.Done()
				task()
			}))
		},
		group.Wait,
		func() { must(workers.ReleaseTimeout(time.Minute)) }
}

// PondPool is a pool of pond. Its tasks are submitted without a future.
func PondPool() (submit func(func()), wait, stop func()) {
	workers := pond.NewPool(runtime.GOMAXPROCS(0))
	return func(task func()) { must(workers.Go(task)) }, workers.StopAndWait, func() {}
}

// ConcPool is a pool of conc.
func ConcPool() (submit func(func()), wait, stop func()) {
	workers := pool.New().WithMaxGoroutines(runtime.GOMAXPROCS(0))
	return workers.Go, workers.Wait, func() {}
}
