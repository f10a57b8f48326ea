package simulate

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"
)

const (
	aloneRuns = 9 // the shortest of them counts
	fitRuns   = 6 // the costs of pieces are adjusted as often as this at most
	closeFit  = 0.002
	leastCost = 1.0 // nanoseconds of a piece
)

// Calibrate measures what the program costs on one processor of this machine, and what this machine
// takes for what only several processors do: moving cache lines, waking, stealing. The name is for
// readers of the costs.
//
// Calibrate waits. It runs the program 12 to 17 times and sets GOMAXPROCS meanwhile. Other programs
// may disturb it, so the best of several runs counts, and of many samples the better ones.
//
// The pieces between two instants at which the scheduler chooses a processor are timed in a run of
// a deterministic runtime. Timing itself takes time, the same for all pieces by assumption.
// Calibrate takes so much off each piece that a simulated run on one processor takes as long as a
// real one.
func Calibrate(name string, p func(on *Host) (time.Duration, error)) (*Costs, error) {
	if p == nil {
		return nil, errors.New("simulate: Calibrate needs a program")
	}
	c := &Costs{Program: name, Runs: aloneRuns}
	alone, err := measureAlone(p)
	if err != nil {
		return nil, err
	}
	c.Alone = float64(alone)
	recorded, err := record(p)
	if err != nil {
		return nil, err
	}
	c.addHardware()
	return c, c.fit(p, recorded)
}

// onOne runs f with GOMAXPROCS set to 1.
func onOne(f func() error) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	return f()
}

// measureAlone returns how long the program takes on one real processor.
func measureAlone(p program) (took time.Duration, err error) {
	var times []time.Duration
	err = onOne(func() error {
		for range 1 + aloneRuns { // the first warms up
			runtime.GC()
			elapsed, err := p(&Host{processors: 1})
			if err != nil {
				return err
			}
			times = append(times, elapsed)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	if took = slices.Min(times[1:]); took <= 0 {
		return 0, fmt.Errorf("simulate: the program says that it took %v", took)
	}
	return took, nil
}

// record times the pieces of the program.
func record(p program) ([]Piece, error) {
	r := newRecorder()
	err := onOne(func() error {
		runtime.GC()
		_, err := p(&Host{processors: 1, schedule: r})
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
		r, err := c.Run(p, 1)
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
