package simulate

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/freerun-go/freerun"
)

const (
	fitRuns   = 6 // the costs of pieces are adjusted as often as this at most
	closeFit  = 0.002
	leastCost = 1.0 // nanoseconds of a piece
	// mostExcess is by what share a simulation that is fitted to a real run may be longer.
	mostExcess = 0.15
)

// Calibrate measures what the program costs on one processor of this machine, and what this machine
// takes for what only several processors do: moving cache lines, waking, stealing. The name is for
// readers of the costs.
//
// Calibrate waits. It runs the program for some seconds and sets GOMAXPROCS meanwhile. Other
// programs may disturb it, so the best of several runs counts, and of many samples the better ones.
// Alone and Pair of the costs tell whether simulations by them are like real runs, and Spread how
// disturbed they were; Calibrate accepts any disturbance.
//
// The pieces between two instants at which the scheduler chooses a processor are timed in a run of
// a deterministic runtime. Timing itself takes time, the same for all pieces by assumption.
// Calibrate takes so much off each piece that a simulated run on one processor takes as long as a
// real one. Two sorts of programs with [Host.Go] have no such run: those with more goroutines than
// this machine has cores beside the processor, which share threads, and those whose time is mostly
// that of wake-ups. Of their pieces Calibrate takes off what an empty piece takes.
func Calibrate(name string, p func(on *Host) (time.Duration, error)) (*Costs, error) {
	if p == nil {
		return nil, errors.New("simulate: Calibrate needs a program")
	}
	c := &Costs{Program: name}
	if _, err := realRun(p, 1, 1); err != nil { // warms up
		return nil, err
	}
	recorded, outside, err := record(p)
	if err != nil {
		return nil, err
	}
	c.Outside = outside
	if err := c.measureReal(p); err != nil {
		return nil, err
	}
	c.addHardware()
	if err := c.measureCollector(p); err != nil {
		return nil, err
	}
	empty, emptyOutside, err := measureEmpty()
	if err != nil {
		return nil, err
	}
	recorded = lessened(recorded, emptyOutside, true)
	if 1+c.Outside <= runtime.NumCPU() {
		excess, err := c.fit(p, recorded)
		if err != nil || c.Outside == 0 || excess <= mostExcess {
			return c, err
		}
	}
	c.Pieces = lessened(recorded, empty, false)
	return c, c.check()
}

// onOne runs f with GOMAXPROCS set to 1.
func onOne(f func() error) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	return f()
}

// record times the pieces of the program, and counts how many goroutines of Host.Go it has at a
// time.
func record(p program) (pieces []Piece, outside int, err error) {
	r := newRecorder()
	h := &Host{Virtual: true, processors: 1, schedule: r}
	err = onOne(func() error {
		runtime.GC()
		_, err := h.run(p)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	pieces = r.pieces()
	if !slices.ContainsFunc(pieces, func(p Piece) bool { return p.Operation != outsideName }) {
		return nil, 0, errors.New("simulate: the program has run no operation")
	}
	return pieces, h.mostly, nil
}

// measureEmpty returns what a piece of an operation, and one of a goroutine outside, seems to take
// in which nothing happens.
func measureEmpty() (inside, outside float64, err error) {
	const times = 4096
	pieces, _, err := record(func(on *Host) (time.Duration, error) {
		rt := on.New()
		block := func(c *freerun.Context) (int, error) {
			for range times {
				c.Block(func() {})
			}
			return 0, nil
		}
		_, err := freerun.Go(rt.Context(), block).Wait(context.Background())
		on.Go(func() {
			for range times {
				rt.Now()
			}
		})()
		return 0, errors.Join(err, rt.Close())
	})
	for _, p := range pieces {
		switch {
		case p.From != passing.String() || p.To != passing.String() || p.Count < times/2:
		case p.Operation == outsideName:
			outside = p.Cost
		default:
			inside = p.Cost
		}
	}
	return inside, outside, err
}

// fit takes the same off each piece, by the secant method, until the simulation of one processor
// takes as long as the real one took. A program with goroutines outside is simulated by the second
// model, and its pieces outside are fitted too. It returns by what share the simulation is still
// longer.
func (c *Costs) fit(p program, recorded []Piece) (excess float64, err error) {
	n := 0.0
	for _, x := range recorded {
		if x.Operation != outsideName {
			n += float64(x.Count)
		}
	}
	var off, lastOff, lastError float64
	for i := range fitRuns {
		c.Pieces = lessened(recorded, off, false)
		if c.Outside > 0 {
			c.Pieces = lessened(c.Pieces, off, true)
		}
		if err := c.check(); err != nil {
			return 0, err
		}
		by := *c
		if c.Outside > 0 {
			by.Model = 2
		}
		m := newMachine(&by, 1)
		m.fitting = true
		r, err := by.run(p, m)
		if err != nil {
			return 0, err
		}
		late := float64(r.Elapsed) - c.Alone
		if excess = late / c.Alone; math.Abs(excess) <= closeFit {
			break
		}
		slope := n // nanoseconds saved by one less for each piece
		if i > 0 && off != lastOff && late != lastError {
			slope = (lastError - late) / (off - lastOff)
		}
		lastOff, lastError = off, late
		if slope <= 0 {
			break
		}
		off += late / slope
	}
	return excess, nil // which shows when one processor is simulated
}

// lessened takes the same off each piece of operations, or of goroutines outside.
func lessened(recorded []Piece, by float64, outside bool) []Piece {
	all := slices.Clone(recorded)
	for i := range all {
		if (all[i].Operation == outsideName) == outside {
			all[i].Cost = max(leastCost, all[i].Cost-by)
		}
	}
	return all
}
