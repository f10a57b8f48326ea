package matrix

import (
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/programs"
)

func runActivities(cfg programs.Config) (programs.Result, error) {
	p, tasks := newProblem(cfg.Values.Get(programs.Size)), cfg.Values.Get(paramTasks)
	alone := p.alone()
	result, err := programs.Activities(cfg, p.operations(), func(a *activity.Activity, crew *programs.Crew) error {
		for i := range tasks {
			crew.Go(a, func(a *activity.Activity) error {
				from, to := p.share(i, tasks)
				p.multiplyFairly(a, from, to)
				return nil
			})
		}
		return nil
	})
	result.Checksum = p.checksum()
	if cfg.Machine == nil { // the same clock for both
		result.Figures = speedup(alone, result.Elapsed)
	}
	return result, err
}

// multiplyFairly computes rows of the product and lets others run now and then: an addition is
// about one simple statement.
func (p *problem) multiplyFairly(a *activity.Activity, from, to int) {
	for i := from; i < to; i++ {
		for j := range p.c[i] {
			p.c[i][j] = p.element(p.a[i], j)
			a.Check(int32(p.n))
		}
	}
}
