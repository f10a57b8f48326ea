// Package capture runs a program of the catalogue and records what its runtime does.
package capture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/bench"
	"github.com/freerun-go/freerun/programs"
)

// Capture is the run of one variant of a program, whose first runtime is recorded; programs have one each, but for those that measure containers. Make one with
// [New], run a plan with it once, and do not copy it.
type Capture struct {
	into  *limited
	limit time.Duration
	due   chan struct{} // closed when the limit is over

	mu     sync.Mutex
	title  string // which variant it is
	done   bool   // no more runtime is to be recorded
	stop   func() error
	failed error // why the runtime is not recorded
	cancel context.CancelFunc
}

// New returns a capture into w, that ends when about so many bytes were written, or a time greater than 0 has gone by since it began, or the program ends.
func New(w io.Writer, bytes int64, limit time.Duration) *Capture {
	return &Capture{into: newLimited(w, bytes), limit: limit, due: make(chan struct{})}
}

// Plan carries out the plan until its first variant has ended, or as much is recorded as was asked for, or ctx is done, which it tells. It waits for no program that goes on
// then, and returns whether there is a recording. The plan's runner must be [Capture.Run].
func (c *Capture) Plan(ctx context.Context, plan *bench.Plan) (recorded, interrupted bool, err error) {
	first, cancel := context.WithCancel(context.Background())
	defer cancel()
	c.cancel = cancel
	ended := make(chan error, 1)
	go func() { ended <- plan.Run(first, nil, func(bench.Row) error { return nil }) }()
	select {
	case err = <-ended:
		if errors.Is(err, bench.ErrInterrupted) { // by ourselves, after the first variant
			err = nil
		}
	case <-c.into.full:
	case <-c.due:
	case <-ctx.Done():
		interrupted = true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done = true
	switch {
	case c.stop != nil:
		return true, interrupted, errors.Join(err, c.stop())
	case interrupted:
		err = fmt.Errorf("%w before the program had made a runtime", bench.ErrInterrupted)
	case err == nil && c.failed == nil:
		err = fmt.Errorf("%s made no runtime, so there is nothing to record", c.title)
	}
	return false, interrupted, errors.Join(err, c.failed)
}

// Title says which variant was run, and with which parameters.
func (c *Capture) Title() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.title
}

// Run runs the variant in this process, and ends the plan with it.
func (c *Capture) Run(ctx context.Context, p *programs.Program, v programs.Variant, cfg programs.Config) (programs.Result, error) {
	defer c.cancel()
	title := p.Name + "/" + v.Name
	for _, param := range p.Params {
		title += fmt.Sprintf(" %s=%d", param.Name, cfg.Values.Get(param.Name))
	}
	c.mu.Lock()
	c.title = title
	c.mu.Unlock()
	cfg.Runtime = c.runtime
	return bench.InProcess(ctx, p, v, cfg)
}

// runtime makes a runtime for the program, and begins to record the first.
func (c *Capture) runtime(options ...freerun.Option) *freerun.Runtime {
	rt := freerun.New(options...)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done || c.stop != nil || c.failed != nil {
		return rt
	}
	if c.stop, c.failed = rt.StartTrace(c.into); c.failed == nil && c.limit > 0 {
		time.AfterFunc(c.limit, func() { close(c.due) })
	}
	return rt
}
