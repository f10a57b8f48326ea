package producer

import (
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/programs"
)

func runActivities(cfg programs.Config) (programs.Result, error) {
	m, capacity := newMarket(cfg.Values), cfg.Values.Get(paramBuffer)
	result, err := programs.Activities(cfg, uint64(m.size), func(a *activity.Activity, crew *programs.Crew) error {
		buffer := activity.NewMailbox[int](capacity)
		for i := range m.pairs {
			mine := &m.pairs[i]
			crew.Go(a, func(a *activity.Activity) error {
				for message := mine.from; message < mine.to; message++ {
					if err := buffer.Send(a, message); err != nil {
						return err
					}
				}
				return nil
			})
			crew.Go(a, func(a *activity.Activity) error {
				var got tally
				for range mine.to - mine.from {
					message, err := buffer.Receive(a)
					if err != nil {
						return err
					}
					got.consume(message)
				}
				mine.got = got
				return nil
			})
		}
		return nil
	})
	result.Checksum = m.checksum()
	return result, err
}
