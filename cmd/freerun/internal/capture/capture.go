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

// Capture runs one variant of a program and records its first runtime. Most programs make one
// runtime; those that measure containers make none. [New] makes a Capture. It carries out one plan,
// and must not be copied.
type Capture struct {
	into  *limited
	limit time.Duration
	due   chan struct{} // closed when the limit is over

	mu     sync.Mutex
	title  string // the name of the variant, with its parameters
	done   bool   // whether no more runtime is to be recorded
	stop   func() error
	failed error // the reason why the runtime is not recorded
	cancel context.CancelFunc
}

// New returns a capture that writes to w. The recording ends when about that many bytes are
// written, when the program ends, or, with a limit greater than 0, when that time has passed since
// its beginning.
func New(w io.Writer, bytes int64, limit time.Duration) *Capture {
	return &Capture{into: newLimited(w, bytes), limit: limit, due: make(chan struct{})}
}

// Plan carries out the plan until the first of three events: its first variant has ended, the
// recording has reached a limit of [New], or ctx is done, which makes interrupted true. It does not
// wait for a program that still runs then. recorded tells whether there is a recording. The plan's
// runner must be [Capture.Run].
func (c *Capture) Plan(ctx context.Context, plan *bench.Plan) (recorded, interrupted bool, err error) {
	first, cancel := context.WithCancel(context.Background())
	defer cancel()
	c.cancel = cancel
	ended := make(chan error, 1)
	go func() { ended <- plan.Run(first, nil, func(bench.Row) error { return nil }) }()
	select {
	case err = <-ended:
		if errors.Is(err, bench.ErrInterrupted) { // by Run, after the first variant
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

// Title returns the name of the variant that was run, with its parameters.
func (c *Capture) Title() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.title
}

// Run runs the variant in this process, and then ends the plan.
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

// runtime makes a runtime for the program, and begins to record the first one.
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
