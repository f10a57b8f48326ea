package matrix

import (
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/programs"
)

func runActivities(cfg programs.Config) (programs.Result, error) {
	return onActivities(cfg, (*problem).multiplyFairly)
}

// runActivitiesUnbroken has activities that check no quantum, as if theirs never ended.
func runActivitiesUnbroken(cfg programs.Config) (programs.Result, error) {
	return onActivities(cfg, func(p *problem, _ *activity.Activity, from, to int) { p.multiply(from, to) })
}

// onActivities has an activity for each task, which multiplies its rows.
func onActivities(cfg programs.Config, multiply func(p *problem, a *activity.Activity, from, to int)) (programs.Result, error) {
	p, tasks := newProblem(cfg.Values.Get(programs.Size)), cfg.Values.Get(paramTasks)
	alone := p.alone()
	result, err := programs.Activities(cfg, p.operations(), func(a *activity.Activity, crew *programs.Crew) error {
		for i := range tasks {
			crew.Go(a, func(a *activity.Activity) error {
				from, to := p.share(i, tasks)
				multiply(p, a, from, to)
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
// about one simple statement. A quantum is 40 elements of matrices of 500 rows.
func (p *problem) multiplyFairly(a *activity.Activity, from, to int) {
	for i := from; i < to; i++ {
		for j := range p.c[i] {
			p.c[i][j] = p.element(p.a[i], j)
			a.Check(int32(p.n))
		}
	}
}
