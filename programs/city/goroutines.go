package city

import (
	"sync"

	"github.com/freerun-go/freerun/programs"
)

// runGoroutines has a buffered channel as the plant's store. A mutex with two conditions takes
// about as long on one processor, and much longer on two.
func runGoroutines(cfg programs.Config) (programs.Result, error) {
	c := newCity(cfg.Values)
	var all sync.WaitGroup
	meter := programs.StartMeter()
	store := make(chan struct{}, c.store)
	all.Go(func() {
		for range c.total() {
			c.produce()
			store <- struct{}{}
		}
	})
	for i := range c.homes {
		h := &c.homes[i]
		all.Go(func() {
			for range c.units {
				<-store
				c.consume(h)
			}
		})
	}
	all.Wait()
	result := meter.Stop(c.operations())
	result.Checksum = c.checksum()
	return result, nil
}
