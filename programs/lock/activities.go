package lock

import (
	"context"

	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/programs"
)

// mutex is a lock for activities: *activity.Mutex or *activity.FairMutex.
type mutex[L any] interface {
	*L
	Lock(context.Context) error
	Unlock()
}

// runActivities makes the activities yield now and then between two locks, as implicit cooperation
// would: a lock is about three simple statements.
func runActivities[L any, M mutex[L]](cfg programs.Config) (programs.Result, error) {
	c := newContest[L](cfg.Values)
	result, err := programs.Activities(cfg, uint64(c.size), func(a *activity.Activity, crew *programs.Crew) error {
		for i := range c.tasks {
			g, times := c.part(i)
			crew.Go(a, func(a *activity.Activity) error {
				for range times {
					if err := M(&g.lock).Lock(a); err != nil {
						return err
					}
					g.count++
					M(&g.lock).Unlock()
					a.Check(3)
				}
				return nil
			})
		}
		return nil
	})
	result.Checksum = c.checksum()
	return result, err
}
