package switching

import (
	"time"

	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/programs"
)

func runActivities(cfg programs.Config) (programs.Result, error) {
	d := newDance(cfg.Values)
	var began time.Time
	result, err := programs.Activities(cfg, uint64(d.size), func(a *activity.Activity, crew *programs.Crew) error {
		began = time.Now()
		for i := range d.dancers {
			me := &d.dancers[i]
			crew.Go(a, func(a *activity.Activity) error {
				done := 0
				for ; done < me.steps; done++ {
					a.Yield()
				}
				me.end(done)
				return nil
			})
		}
		return nil
	})
	return d.result(began, result), err
}
