package conformance

import (
	"runtime"
	"sync/atomic"
)

// inRounds has goroutines do one round after another. They spin until all have arrived, so that
// they begin each round at nearly the same instant: goroutines started for one round alone would
// begin so far apart that no two of their calls overlapped. The caller prepares all rounds
// beforehand and looks at the results after the last round, so that no goroutine is late for the
// next. The first rounds do nothing: the processors wake up in them.
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
	// wakingUp is the number of first rounds that do nothing.
	wakingUp = 200
	// spinsForOthers is the number of looks for the others after which a goroutine lets one of them
	// run.
	spinsForOthers = 128
)
