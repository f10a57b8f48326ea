package simulate

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/simhost"
)

// program is the program under measurement and simulation: see [Host].
type program = func(on *Host) (time.Duration, error)

// Host is the machine on which a program runs: for [Calibrate] this one, for [Costs.Run] one of
// virtual processors. It is for one run, and for the goroutine that runs the program.
//
// The program makes one runtime with New, runs, and returns the time of the part of interest, by
// [freerun.Runtime.Now]. It is run several times, and must do the same each time. It waits for the
// end of its work by the futures, or by [freerun.Runtime.Quiesce].
type Host struct {
	processors int
	schedule   simhost.Schedule // nil on this machine
	rt         *freerun.Runtime
}

// ErrStalled says that a program came to rest before its end: nothing is left to run, and something
// waits.
var ErrStalled = freerun.ErrStalled

// New makes the runtime that the program runs on, with further options, and with as many processors
// as the host has: [freerun.Processors] among the options changes nothing, and Resize of a
// simulated runtime panics above that number. The program must close the runtime, or its run is an
// error.
// New panics at a second call and at a zero Option.
func (h *Host) New(options ...freerun.Option) *freerun.Runtime {
	if h.rt != nil {
		panic("simulate: New for a second time in one run")
	}
	for i, o := range options {
		if reflect.ValueOf(o).IsZero() {
			panic(fmt.Sprintf("simulate: New with a zero Option, the one with index %d", i))
		}
	}
	options = append(slices.Clip(options), freerun.Processors(h.processors))
	if h.schedule != nil {
		options = append(options, simhost.Option[freerun.Option](h.schedule))
	}
	h.rt = freerun.New(options...)
	return h.rt
}

// Virtual reports whether the runtime is deterministic: it runs only while the program's goroutine
// waits for a future, or in Quiesce.
func (h *Host) Virtual() bool { return h.schedule != nil }

// Result is the outcome of a simulated run.
type Result struct {
	Elapsed   time.Duration   // as the program returned it
	Busy      []time.Duration // by processor: operations, and all that belongs to them
	Searching []time.Duration // by processor: the time spent looking for work
	Waiting   []time.Duration // by processor: the part of Busy spent waiting for cache lines
	Stats     freerun.Stats   // of the runtime, at the end
}

// mostProcessors limits the number of virtual processors.
const mostProcessors = 1024

// Models is the number of models by which programs are simulated.
const Models = 2

// Run runs the program by the model of the costs, on the given number of virtual processors, from 1
// to 1024. Its result is the same each time, if the program does the same. Run waits, and no
// operation may call it.
//
// Run returns [ErrCosts] for costs that cannot be used, and the program's error. Forks and joins by
// the first model are an error that wraps [errors.ErrUnsupported]. A program is in error, too, that
// leaves its runtime open, returns a negative time, or waits for the runtime on another goroutine
// than its own.
func (c *Costs) Run(p func(on *Host) (time.Duration, error), processors int) (Result, error) {
	if processors < 1 || processors > mostProcessors {
		return Result{}, fmt.Errorf("simulate: the number of processors is %d, and must be from 1 to %d", processors, mostProcessors)
	}
	if c == nil || p == nil {
		return Result{}, errors.New("simulate: Run needs costs and a program; ReadCosts and Calibrate return costs")
	}
	if err := c.check(); err != nil {
		return Result{}, err
	}
	return c.run(p, newMachine(c, processors))
}

// run runs the program on a new machine.
func (c *Costs) run(p program, m *machine) (Result, error) {
	m.program = goroutine()
	h := &Host{processors: len(m.processors), schedule: m}
	elapsed, err := h.run(p)
	switch {
	case err != nil:
		return Result{}, err
	case h.rt == nil:
		return Result{}, errors.New("simulate: the program has made no runtime with New of its Host")
	case m.refused != nil:
		return Result{}, m.refused
	}
	return Result{
		Elapsed:   elapsed,
		Busy:      m.times(func(p *processor) float64 { return p.busy }),
		Searching: m.times(func(p *processor) float64 { return p.searching }),
		Waiting:   m.times(func(p *processor) float64 { return p.waiting }),
		Stats:     h.rt.Stats(),
	}, nil
}
