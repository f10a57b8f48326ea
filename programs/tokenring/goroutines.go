package tokenring

import (
	"sync"

	"github.com/freerun-go/freerun/programs"
)

// runGoroutines has a channel to each player. Buffers make no difference, nor do conditions of one
// mutex in place of channels.
func runGoroutines(cfg programs.Config) (programs.Result, error) {
	g := newGame(cfg.Values)
	var all sync.WaitGroup
	meter := programs.StartMeter()
	seats := make([]chan token, g.players)
	for i := range seats {
		seats[i] = make(chan token, 1)
	}
	for i := range seats {
		in, out := seats[i], seats[g.next(i)]
		all.Go(func() {
			for range g.rounds {
				if t := <-in; g.play(i, &t) {
					out <- t
				}
			}
		})
	}
	seats[0] <- token{}
	all.Wait()
	result := meter.Stop(g.operations())
	result.Checksum = g.checksum()
	return result, nil
}
