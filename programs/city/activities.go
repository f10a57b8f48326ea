package city

import (
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/programs"
)

// runActivities has a mailbox as the store, as the goroutines have a channel.
func runActivities(cfg programs.Config) (programs.Result, error) {
	c := newCity(cfg.Values)
	result, err := programs.Activities(cfg, c.operations(), func(a *activity.Activity, crew *programs.Crew) error {
		store := activity.NewMailbox[struct{}](c.store)
		crew.Go(a, func(a *activity.Activity) error {
			for range c.total() {
				c.produce()
				if err := store.Send(a, struct{}{}); err != nil {
					return err
				}
			}
			return nil
		})
		for i := range c.homes {
			h := &c.homes[i]
			crew.Go(a, func(a *activity.Activity) error {
				for range c.units {
					if _, err := store.Receive(a); err != nil {
						return err
					}
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
