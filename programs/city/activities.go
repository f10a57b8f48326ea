package city

import (
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/programs"
)

// runActivities has two semaphores as the store: for the units stored and for the room. An
// activity.Mailbox would also keep messages, which are all alike here.
func runActivities(cfg programs.Config) (programs.Result, error) {
	c := newCity(cfg.Values)
	result, err := programs.Activities(cfg, c.operations(), func(a *activity.Activity, crew *programs.Crew) error {
		room, stored := activity.NewSemaphore(c.store), activity.NewSemaphore(c.store)
		if err := stored.Acquire(a, c.store); err != nil { // the store begins empty
			return err
		}
		crew.Go(a, func(a *activity.Activity) error {
			for range c.total() {
				if err := room.Acquire(a, 1); err != nil {
					return err
				}
				c.produce()
				stored.Release(1)
			}
			return nil
		})
		for i := range c.homes {
			h := &c.homes[i]
			crew.Go(a, func(a *activity.Activity) error {
				for range c.units {
					if err := stored.Acquire(a, 1); err != nil {
						return err
					}
					room.Release(1)
					c.consume(h)
				}
				return nil
			})
		}
		return nil
	})
	result.Checksum = c.checksum()
	return result, err
}
