package main

import (
	"context"
	"sync"
)

// twin is the pool as plain Go has it: a map with a mutex, and a goroutine for each customer that
// has jobs. A map of mutexes alone would not do: a mutex keeps no order of arrival.
type twin struct {
	ctx  context.Context
	do   func(context.Context, job) error
	mu   sync.Mutex
	jobs map[string][]job // of a customer with a goroutine, those behind the job that runs
	open sync.WaitGroup
	err  error // of the first job that failed
}

// newTwin returns a pool that begins no more jobs when ctx has ended.
func newTwin(ctx context.Context, do func(context.Context, job) error) *twin {
	return &twin{ctx: ctx, do: do, jobs: map[string][]job{}}
}

func (t *twin) Submit(ctx context.Context, customer string, j job) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	behind, runs := t.jobs[customer]
	if runs {
		t.jobs[customer] = append(behind, j)
		return nil
	}
	t.jobs[customer] = nil
	t.open.Go(func() { t.run(customer, j) })
	return nil
}

// run runs jobs of a customer until there are no more.
func (t *twin) run(customer string, j job) {
	for more := true; more; {
		err := t.ctx.Err()
		if err == nil {
			err = t.do(t.ctx, j)
		}
		t.mu.Lock()
		if t.err == nil {
			t.err = err
		}
		if behind := t.jobs[customer]; len(behind) > 0 {
			j, t.jobs[customer] = behind[0], behind[1:]
		} else {
			delete(t.jobs, customer)
			more = false
		}
		t.mu.Unlock()
	}
}

func (t *twin) Wait(ctx context.Context) error {
	ended := make(chan struct{})
	go func() {
		t.open.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		t.mu.Lock()
		defer t.mu.Unlock()
		return t.err
	case <-ctx.Done():
		return ctx.Err()
	}
}
