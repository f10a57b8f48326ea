package simulate

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/simhost"
)

// program is the program under measurement and simulation: see [Host].
type program = func(on *Host) (time.Duration, error)

// Host is the machine on which a program runs: this one, or one of virtual processors. It is for
// one run, and for the goroutine that runs the program; operations may call Now.
//
// The program makes one runtime with New, runs, and returns the time of the part of interest by
// Now. It is run several times, and must do the same each time. It waits for the end of its work
// by the futures, or by [freerun.Runtime.Quiesce].
type Host struct {
	processors int
	schedule   simhost.Schedule // nil on this machine
	machine    *machine         // nil where time is not virtual
	rt         *freerun.Runtime
}

// ErrStalled says that a program came to rest before its end: nothing is left to run, and something
// waits.
var ErrStalled = freerun.ErrStalled

// New makes the runtime that the program runs on, with further options. The program must close it.
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
	options = append([]freerun.Option{freerun.Processors(h.processors)}, options...)
	if h.schedule != nil {
		options = append(options, simhost.Option[freerun.Option](h.schedule))
	}
	h.rt = freerun.New(options...)
	return h.rt
}

// epoch is when virtual time begins.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// Now returns the time on the host, real or virtual. Any goroutine and any operation may call it.
func (h *Host) Now() time.Time {
	if h.machine != nil {
		return epoch.Add(h.machine.Now())
	}
	return time.Now()
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

// Run runs the program on the given number of virtual processors, from 1 to 1024. Its result is the
// same each time, if the program does the same. Run waits, and no operation may call it. It returns
// [ErrCosts] for costs that cannot be used, and the program's error.
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
