package simulate

import (
	"math"
	"runtime"
	"slices"
	"time"
)

// How many real runs there are on each number of processors: as many as the time allows, within
// bounds. The shortest counts. On a machine that does other work, it is near what the program takes
// alone if the program is short and is run often.
const (
	leastRuns = 9
	mostRuns  = 400
	realTime  = 2 * time.Second
)

// measureReal sets the times of real runs on one processor, and on two if the machine has them. The
// numbers take turns, so that a bad moment of the machine hits both.
func (c *Costs) measureReal(p program) error {
	least := []float64{math.MaxFloat64, math.MaxFloat64}[:min(2, runtime.NumCPU())]
	for i := range least {
		if _, err := realRun(p, i+1, c.threads(i+1)); err != nil { // warms up
			return err
		}
	}
	var alone []float64
	for began := time.Now(); c.Runs < leastRuns || c.Runs < mostRuns && time.Since(began) < realTime; c.Runs++ {
		for i := range least {
			took, err := realRun(p, i+1, c.threads(i+1))
			if err != nil {
				return err
			}
			if least[i] = min(least[i], float64(took)); i == 0 {
				alone = append(alone, float64(took))
			}
		}
	}
	slices.Sort(alone)
	c.Spread = alone[len(alone)/2]/least[0] - 1
	if c.Alone = least[0]; len(least) > 1 {
		c.Pair = least[1]
	}
	return nil
}

// threads returns on how many threads the program runs with a number of processors: one for each,
// and for each of its goroutines outside, but no more than the machine has.
func (c *Costs) threads(processors int) int {
	return max(processors, min(processors+c.Outside, runtime.NumCPU()))
}

// realRun runs the program with so many processors on so many threads of this machine.
func realRun(p program, processors, threads int) (time.Duration, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
	runtime.GC()
	took, err := (&Host{processors: processors}).run(p)
	if err == nil && took == 0 {
		err = tookError(took)
	}
	return took, err
}
