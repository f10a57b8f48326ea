package bench

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/freerun-go/freerun/simulate"
)

// Tolerance is how far a simulation with one or two processors may be from the real run if its
// costs are to be kept: a share of the real run's time.
const Tolerance = 0.15

// ErrUnlike says that simulations by some costs are not like real runs.
var ErrUnlike = errors.New("simulate: the simulation is not like real runs")

// Real compares real runs with a simulation.
type Real struct {
	Processors int     `json:"processors"`
	Least      float64 `json:"least_ns"` // the time of the shortest real run
	Simulated  float64 `json:"simulated_ns"`
	// Shares says that the machine had fewer threads than the simulation had cores, for processors
	// and goroutines outside: so they shared threads, and the times are not of the same thing.
	Shares bool `json:"shares_threads,omitempty"`
}

// calibrated is costs, and how far simulations by them are from real runs.
type calibrated struct {
	*simulate.Costs
	Real []Real `json:"real,omitempty"` // nil before compare
}

// by returns the costs for simulations by a model.
func (c *calibrated) by(model int) *simulate.Costs {
	costs := *c.Costs
	costs.Model = model
	return &costs
}

// compare compares simulations with 1 and 2 processors, by the second model where the first cannot
// simulate the program, with the shortest real runs, which the costs have, and keeps the times in
// Real; real times that Real has already count, too. It returns [ErrUnlike] if one of the
// simulations is further from the real run than the tolerance, a share of the real run's time, or
// if the machine has one processor only. Programs with goroutines outside may be as far as they
// are: their simulation may have more cores than the machine.
func (c *calibrated) compare(run program, tolerance float64) error {
	if c.Pair == 0 {
		return fmt.Errorf("%w: this machine has one processor, and the real run needs two", ErrUnlike)
	}
	earlier := c.Real
	c.Real = nil
	var unlike error
	for i, least := range []float64{c.Alone, c.Pair} {
		r, err := c.Run(run, i+1)
		if errors.Is(err, errors.ErrUnsupported) { // by the first model
			r, err = c.by(2).Run(run, i+1)
		}
		if err != nil {
			return err
		}
		x := Real{Processors: i + 1, Least: least, Simulated: float64(r.Elapsed)}
		x.Shares = c.Outside > 0 && x.Processors+c.Outside > runtime.NumCPU()
		for _, other := range earlier {
			if other.Processors == x.Processors {
				x.Least = min(x.Least, other.Least)
			}
		}
		c.Real = append(c.Real, x)
		if off := x.Simulated/x.Least - 1; c.Outside == 0 && !(math.Abs(off) <= tolerance) {
			unlike = errors.Join(unlike, fmt.Errorf("%w: with %d of 2 processors %v simulated, %v the shortest of %d real runs, %+.0f%%; at most %.3g%% are allowed",
				ErrUnlike, x.Processors, r.Elapsed, time.Duration(x.Least), c.Runs, 100*off, 100*tolerance))
		}
	}
	return unlike
}
