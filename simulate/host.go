package simulate

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/simhost"
	"github.com/freerun-go/freerun/internal/sys/goid"
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
	// Virtual says that the runtime is deterministic: it runs only while a goroutine of the program
	// waits for a future, or in Quiesce. The program must not change it.
	Virtual bool

	processors int
	schedule   schedule // nil on this machine
	rt         *freerun.Runtime
	outside    int   // how many goroutines of Go have not ended, in a deterministic runtime
	mostly     int   // the most that there were at a time
	stalled    error // of a wait for a goroutine of Go
}

// schedule is a schedule that can start goroutines outside.
type schedule interface {
	simhost.Schedule
	start(f func()) (wait func() error)
	abandon()            // ends the goroutines that have not ended
	progress() *progress // of the run
}

// ErrStalled says that a program came to rest before its end: nothing is left to run, and something
// waits.
var ErrStalled = freerun.ErrStalled

// New makes the runtime that the program runs on, with further options, and with as many processors
// as the host has: [freerun.Processors] among the options changes nothing, and Resize of a
// simulated runtime panics above that number. The program must close the runtime, or its run is an
// error. New panics at a second call, at a zero Option, and on a
// Host that the program was not called with.
func (h *Host) New(options ...freerun.Option) *freerun.Runtime {
	switch {
	case h == nil || h.processors == 0:
		panic("simulate: New of a Host that is not of Run or Calibrate")
	case h.rt != nil:
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

// Go calls f on a goroutine of its own, and returns a function that waits until f has ended: has
// returned, or called [runtime.Goexit]. The second model simulates what f does as on a core of its
// own. The first model ends the program's run and refuses it. The program's goroutine and those of
// Go may call it, after New, and wait. All must have ended before the program returns: a goroutine
// that has not is ended where it waits, and the run is an error.
//
// f must wait by nothing but futures, Quiesce and the functions that Go returns. In a simulation
// others run where f sends or reads the time. A goroutine that waits there for a mutex or a channel
// of another one stops the simulation, and after ten seconds the run is an error that wraps
// [ErrStalled] and says where it stood still: hold no lock at a send. If f locks its thread, a
// simulation unlocks it, and if f closes the runtime, Close only returns an error there. The run
// goes on, and is an error that wraps [errors.ErrUnsupported]. A panic of f is one of the program
// in a simulation, and ends the process otherwise. Go panics before New, and if f is nil.
func (h *Host) Go(f func()) (wait func()) {
	switch {
	case h.rt == nil:
		panic("simulate: Go before New")
	case f == nil:
		panic("simulate: Go with a nil function")
	}
	if h.schedule == nil {
		done := make(chan struct{})
		go func() { defer close(done); f() }()
		return func() { <-done }
	}
	h.outside++
	h.mostly = max(h.mostly, h.outside)
	ended := h.schedule.start(func() {
		defer func() { h.outside-- }()
		f()
	})
	return func() {
		if err := ended(); err != nil {
			h.stalled = err
		}
	}
}

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
// operation may call it. The program runs on a goroutine of its own; if it panics or calls
// [runtime.Goexit], so does Run. The panic is an error that has the program's stack, and wraps the
// program's value if that is an error.
//
// Run returns [ErrCosts] for costs that cannot be used, and the program's error. Forks, joins and
// [Host.Go] by the first model are an error that wraps [errors.ErrUnsupported], and so are a wait
// with a context that has a deadline, and a run of more than 104 days. A program is in error, too,
// that leaves its runtime open, returns a negative time, or waits for the runtime on another
// goroutine than its own and those of Host.Go. One that stands still, as a goroutine waits for a
// lock or a channel of another one, is given up after ten seconds, with an error that wraps
// [ErrStalled]; its goroutines are left.
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
	h := &Host{Virtual: true, processors: len(m.processors), schedule: m}
	elapsed, err := h.watched(func(on *Host) (time.Duration, error) {
		m.program = goid.ID()
		return p(on)
	})
	switch {
	case errors.Is(err, errStandstill): // the program still has the machine
		return Result{}, err
	case errors.Is(m.refused, errors.ErrUnsupported): // before an error that follows from it
		return Result{}, m.refused
	case m.now() > mostTime:
		return Result{}, errTime
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
