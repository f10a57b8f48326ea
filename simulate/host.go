package simulate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/freerun-go/freerun"
)

// Program runs once, on one runtime that it makes with on.New, and returns how long the part of interest took by on.Now. It is run several times, and must do the same each
// time.
type Program func(on *Host) (time.Duration, error)

// Host is what a program runs on: this machine, or one of virtual processors. It is for one run, and for the goroutine that runs the program; operations may call Now.
type Host struct {
	processors int
	schedule   freerun.Schedule // nil on this machine
	machine    *machine         // nil where time is not virtual
	rt         *freerun.Runtime
}

// ErrStalled says that a program has come to a rest, and not to its end.
var ErrStalled = freerun.ErrStalled

// Processors returns how many there are.
func (h *Host) Processors() int { return h.processors }

// New makes the runtime that the program runs on, with further options. The program must close it. It panics if it is called twice.
func (h *Host) New(options ...freerun.Option) *freerun.Runtime {
	if h.rt != nil {
		panic("simulate: New for a second time in one run")
	}
	for i, o := range options {
		if o == nil {
			panic(fmt.Sprintf("simulate: New with a nil option, the one with index %d", i))
		}
	}
	options = append([]freerun.Option{freerun.Processors(h.processors)}, options...)
	if h.schedule != nil {
		options = append(options, freerun.DeterministicBy(h.schedule))
	}
	h.rt = freerun.New(options...)
	return h.rt
}

// epoch is when virtual time begins.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// Now returns the time there.
func (h *Host) Now() time.Time {
	if h.machine != nil {
		return epoch.Add(h.machine.Now())
	}
	return time.Now()
}

// Virtual reports whether the runtime runs only while somebody waits for a future, or in Settle.
func (h *Host) Virtual() bool { return h.schedule != nil }

// Settle runs what there is to run, until nothing is left.
func (h *Host) Settle() error { return h.rt.Quiesce(context.Background()) }

// Result is what a simulated run came to.
type Result struct {
	Elapsed   time.Duration   // what the program said
	Busy      []time.Duration // of each processor, what it spent on operations and what belongs to them; of the whole run
	Searching []time.Duration // on looking for work
	Waiting   []time.Duration // of Busy, on cache lines that others had
	Stats     freerun.Stats   // the runtime's, at the end
}

// mostProcessors is how many virtual processors there may be.
const mostProcessors = 1024

// Run runs the program on so many virtual processors. It is the same each time, as far as the program is. It waits, and must not be called by an operation.
func (c *Costs) Run(p Program, processors int) (Result, error) {
	if processors < 1 || processors > mostProcessors {
		return Result{}, fmt.Errorf("simulate: the number of processors is %d, and must be from 1 to %d", processors, mostProcessors)
	}
	if c == nil || p == nil {
		return Result{}, errors.New("simulate: Run needs costs and a program; ReadCosts and Calibrate return costs")
	}
	if err := c.check(); err != nil {
		return Result{}, err
	}
	m := newMachine(c, processors)
	h := &Host{processors: processors, schedule: m, machine: m}
	elapsed, err := p(h)
	if err != nil {
		return Result{}, err
	}
	if h.rt == nil {
		return Result{}, errors.New("simulate: the program has made no runtime with New of its Host")
	}
	return Result{
		Elapsed:   elapsed,
		Busy:      m.times(func(p *processor) float64 { return p.busy }),
		Searching: m.times(func(p *processor) float64 { return p.searching }),
		Waiting:   m.times(func(p *processor) float64 { return p.waiting }),
		Stats:     h.rt.Stats(),
	}, nil
}
