package tokenring

import (
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/programs"
)

func runActivities(cfg programs.Config) (programs.Result, error) {
	g := newGame(cfg.Values)
	result, err := programs.Activities(cfg, g.operations(), func(a *activity.Activity, crew *programs.Crew) error {
		seats := make([]*activity.Mailbox[token], g.players)
		for i := range seats {
			seats[i] = activity.NewMailbox[token](1)
		}
		for i := range seats {
			in, out := seats[i], seats[g.next(i)]
			crew.Go(a, func(a *activity.Activity) error {
				for range g.rounds {
					t, err := in.Receive(a)
					if err != nil {
						return err
					}
					if g.play(i, &t) {
						if err := out.Send(a, t); err != nil {
							return err
						}
					}
				}
				return nil
			})
		}
		return seats[0].Send(a, token{})
	})
	result.Checksum = g.checksum()
	return result, err
}
