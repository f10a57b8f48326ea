package report

import (
	"fmt"
	"math"

	"github.com/freerun-go/freerun/programs"
)

// mean is the geometric mean of the times of some of table 1's programs, each divided by the time
// with goroutines on as many processors.
type mean struct {
	of         string // whose mean it is, and of how many programs
	variant    string // "" for the better variant of each program
	processors int
	ratio      float64
}

// means returns the means of each number of processors: of the activities alone, of the units
// alone, which only some of the programs have, of the activities in those programs, and of the
// better of both in each program.
func means(all rows, counts []int) (made []mean) {
	for _, n := range counts {
		var activities, units, beside, better []float64
		for _, a := range applications {
			of, _ := a.of(all)
			ratio := func(variant string) float64 { // 0 if it was not measured
				r, rival := of.variant(variant).on(n), of.variant("goroutines").on(n)
				if len(r) == 0 || len(rival) == 0 || r[0].Kind != programs.Freerun {
					return 0
				}
				return r[0].NsPerOp / rival[0].NsPerOp
			}
			switch x, y := ratio("activities"), ratio("units"); {
			case x > 0 && y > 0:
				activities, units, beside, better = append(activities, x), append(units, y), append(beside, x), append(better, min(x, y))
			case x > 0:
				activities, better = append(activities, x), append(better, x)
			case y > 0:
				units, better = append(units, y), append(better, y)
			}
		}
		add := func(name, variant string, ratios []float64) {
			if len(ratios) > 1 {
				made = append(made, mean{fmt.Sprintf("mean of %d, %s", len(ratios), name), variant, n, geometric(ratios)})
			}
		}
		add("activities", "activities", activities)
		add("units", "units", units)
		add("their activities", "activities", beside)
		add("the better", "", better)
	}
	return made
}

// geometric returns the geometric mean of ratios, of which there is one at least.
func geometric(ratios []float64) float64 {
	sum := 0.0
	for _, r := range ratios {
		sum += math.Log(r)
	}
	return math.Exp(sum / float64(len(ratios)))
}
