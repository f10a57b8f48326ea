package conformance

import (
	"runtime"
	"sync/atomic"
)

// inRounds has goroutines do round after round of something. They begin each round at the same
// instant, or as near to it as spinning brings them: goroutines that were started for one round
// alone would come so late, one after another, that no two of their calls overlapped. What a round
// needs must be there before, and its result is looked at after all rounds, so that no goroutine is
// late for the next. In the first rounds, which do nothing, the processors wake up.
func inRounds(goroutines, rounds int, do func(h *hand, i, round int) error) error {
	var c crew
	var arrived atomic.Int64
	for i := range goroutines {
		c.add(true, func(h *hand) error {
			for turn := range wakingUp + rounds {
				arrived.Add(1)
				all := int64(goroutines) * int64(turn+1)
				for spins := 1; arrived.Load() < all; spins++ {
					if spins%spinsForOthers != 0 {
						continue
					}
					if runtime.Gosched(); c.giveUp.Load() {
						return errGivenUp
					}
				}
				if round := turn - wakingUp; round >= 0 {
					if err := do(h, i, round); err != nil {
						return err
					}
					h.did()
				}
			}
			return nil
		})
	}
	return c.run()
}

const (
	// wakingUp is how many rounds do nothing.
	wakingUp = 200
	// spinsForOthers is how often a goroutine looks whether the others have come before it lets one
	// of them run instead.
	spinsForOthers = 128
)
