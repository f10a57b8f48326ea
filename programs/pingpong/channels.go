package pingpong

import (
	"sync"

	"github.com/freerun-go/freerun/programs"
)

func runChannels(cfg programs.Config) (programs.Result, error) {
	size := cfg.Values.Get(programs.Size)
	ping, pong := make(chan int), make(chan int)
	finish := programs.NewFinish(1)
	var counts [2]int
	var players sync.WaitGroup
	players.Go(func() { counts[0] = play(ping, pong, finish) })
	players.Go(func() { counts[1] = play(pong, ping, finish) })
	meter := programs.StartMeter()
	ping <- size - 1
	end, err := finish.Wait()
	if err != nil {
		return programs.Result{}, err
	}
	r := meter.StopAt(end, uint64(size))
	players.Wait()
	r.Checksum = hops(counts[0], counts[1])
	return r, nil
}

// play answers each message with the number below, down to 0. It returns how many messages it
// received.
func play(in <-chan int, out chan<- int, finish *programs.Finish) int {
	received := 0
	for left := range in {
		received++
		if left == 0 {
			finish.Reached()
			close(out)
			break
		}
		out <- left - 1
	}
	return received
}
