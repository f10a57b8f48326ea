package producer

import (
	"sync"

	"github.com/freerun-go/freerun/programs"
)

// runGoroutines has a buffered channel. A slice with a mutex and two conditions takes about as long
// on one processor, and longer on two.
func runGoroutines(cfg programs.Config) (programs.Result, error) {
	m, capacity := newMarket(cfg.Values), cfg.Values.Get(paramBuffer)
	var all sync.WaitGroup
	meter := programs.StartMeter()
	buffer := make(chan int, capacity)
	for i := range m.pairs {
		mine := &m.pairs[i]
		all.Go(func() {
			for message := mine.from; message < mine.to; message++ {
				buffer <- message
			}
		})
		all.Go(func() {
			var got tally
			for range mine.to - mine.from {
				got.consume(<-buffer)
			}
			mine.got = got
		})
	}
	all.Wait()
	result := meter.Stop(uint64(m.size))
	result.Checksum = m.checksum()
	return result, nil
}
