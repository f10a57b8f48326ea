package simulate

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"time"
)

const (
	fitRuns   = 6 // the costs of pieces are adjusted as often as this at most
	closeFit  = 0.002
	leastCost = 1.0 // nanoseconds of a piece
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
// real one.
func Calibrate(name string, p func(on *Host) (time.Duration, error)) (*Costs, error) {
	if p == nil {
		return nil, errors.New("simulate: Calibrate needs a program")
	}
	c := &Costs{Program: name}
	if err := c.measureReal(p); err != nil {
		return nil, err
	}
	recorded, err := record(p)
	if err != nil {
		return nil, err
	}
	c.addHardware()
	if err := c.measureCollector(p); err != nil {
		return nil, err
	}
	return c, c.fit(p, recorded)
}

// onOne runs f with GOMAXPROCS set to 1.
func onOne(f func() error) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	return f()
}

// record times the pieces of the program.
func record(p program) ([]Piece, error) {
	r := newRecorder()
	err := onOne(func() error {
		runtime.GC()
		_, err := (&Host{processors: 1, schedule: r}).run(p)
		return err
	})
	if err != nil {
		return nil, err
	}
	pieces := r.pieces()
	if len(pieces) == 0 {
		return nil, errors.New("simulate: the program has run no operation")
	}
	return pieces, nil
}

// fit takes the same off each piece, by the secant method, until the simulation of one processor
// takes as long as the real one took.
func (c *Costs) fit(p program, recorded []Piece) error {
	n := 0.0
	for _, x := range recorded {
		n += float64(x.Count)
	}
	var off, lastOff, lastError float64
	for i := range fitRuns {
		c.Pieces = lessened(recorded, off)
		if err := c.check(); err != nil {
			return err
		}
		m := newMachine(c, 1)
		m.fitting = true
		r, err := c.run(p, m)
		if err != nil {
			return err
		}
		excess := float64(r.Elapsed) - c.Alone
		if math.Abs(excess) <= closeFit*c.Alone {
			return nil
		}
		slope := n // nanoseconds saved by one less for each piece
		if i > 0 && off != lastOff && excess != lastError {
			slope = (lastError - excess) / (off - lastOff)
		}
		lastOff, lastError = off, excess
		if slope <= 0 {
			break
		}
		off += excess / slope
	}
	// The rest of the error shows when one processor is simulated.
	return nil
}

func lessened(recorded []Piece, by float64) []Piece {
	all := slices.Clone(recorded)
	for i := range all {
		all[i].Cost = max(leastCost, all[i].Cost-by)
	}
	return all
}
