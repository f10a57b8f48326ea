package pools

import (
	"sync"
	"time"

	"github.com/alitto/pond/v2"
	"github.com/panjf2000/ants/v2"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/submit"
)

// Program is the program submit, with the rivals among its variants.
var Program = withRivals(submit.Program,
	submit.Variant("pond", programs.Rival, "a pool of pond v2, tasks submitted without a future", Pond),
	submit.Variant("ants", programs.Rival, "a pool of ants v2, and a sync.WaitGroup, as it cannot be waited for", Ants),
)

// init ends the pool that ants makes when it is imported. No variant uses that pool, and its
// goroutines would take part in every measurement of any program.
func init() { ants.Release() }

// withRivals returns a copy of a program with more variants.
func withRivals(p *programs.Program, rivals ...programs.Variant) *programs.Program {
	wider := *p
	wider.Variants = append(append([]programs.Variant(nil), p.Variants...), rivals...)
	return &wider
}

// Pond is a pool of pond. Its tasks are submitted without a future.
func Pond(workers int) (submit.Pool, error) {
	pool := pond.NewPool(workers)
	return submit.Pool{
		Submit: pool.Go,
		Wait:   func() error { pool.StopAndWait(); return nil },
		Close:  func() error { return nil },
	}, nil
}

// Ants is a pool of ants. The pool has no way to wait for its tasks, so the tasks count themselves,
// as in the examples of ants.
func Ants(workers int) (submit.Pool, error) {
	pool, err := ants.NewPool(workers)
	if err != nil {
		return submit.Pool{}, err
	}
	var group sync.WaitGroup
	return submit.Pool{
		Submit: func(task func()) error {
			group.Add(1)
			return pool.Submit(func() {
				defer group.Done()
				task()
			})
		},
		Wait:  func() error { group.Wait(); return nil },
		Close: func() error { return pool.ReleaseTimeout(time.Minute) },
	}, nil
}
