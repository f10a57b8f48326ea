package tokenring

import (
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/programs"
)

// seat is where a player waits for the token.
type seat struct {
	token token               // written before the player's turn, read after
	turn  *activity.Semaphore // one permit, available while the player has the token
}

// runActivities has a semaphore for each turn. A Mailbox to each player takes longer, and its bound
// has no use: there is one token.
func runActivities(cfg programs.Config) (programs.Result, error) {
	g := newGame(cfg.Values)
	result, err := programs.Activities(cfg, g.operations(), func(a *activity.Activity, crew *programs.Crew) error {
		seats := make([]seat, g.players)
		for i := range seats {
			seats[i].turn = activity.NewSemaphore(1)
			if i == 0 {
				continue // has the token
			}
			if err := seats[i].turn.Acquire(a, 1); err != nil {
				return err
			}
		}
		for i := range seats {
			me, other := &seats[i], &seats[g.next(i)]
			crew.Go(a, func(a *activity.Activity) error {
				for range g.rounds {
					if err := me.turn.Acquire(a, 1); err != nil {
						return err
					}
					if t := me.token; g.play(i, &t) {
						other.token = t
						other.turn.Release(1)
					}
				}
				return nil
			})
		}
		return nil
	})
	result.Checksum = g.checksum()
	return result, err
}
