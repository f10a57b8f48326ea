package mandelbrot

import (
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/programs"
)

func runActivities(cfg programs.Config) (programs.Result, error) {
	p := newPlane(cfg.Values)
	result, err := programs.Activities(cfg, p.points(), func(a *activity.Activity, crew *programs.Crew) error {
		for i := range p.parts {
			mine := &p.parts[i]
			crew.Go(a, func(a *activity.Activity) error {
				var found tally
				for row := mine.from; row < mine.to; row++ {
					found.rowFairly(a, p, row)
				}
				mine.found = found
				return nil
			})
		}
		return nil
	})
	result.Checksum = p.checksum()
	return result, err
}

// rowFairly computes a row and lets others run now and then: an iteration is about three simple
// statements.
func (t *tally) rowFairly(a *activity.Activity, p *plane, row int) {
	for column := range p.side {
		x, y := p.at(row, column)
		iterations := escape(x, y, p.limit)
		t.add(row*p.side+column, iterations, p.limit)
		a.Check(int32(3 * iterations))
	}
}
