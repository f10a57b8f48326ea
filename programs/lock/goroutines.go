package lock

import (
	"sync"

	"github.com/freerun-go/freerun/programs"
)

func runGoroutines(cfg programs.Config) (programs.Result, error) {
	c := newContest[sync.Mutex](cfg.Values)
	gate := make(chan struct{})
	var all sync.WaitGroup
	for i := range c.tasks {
		g, times := c.part(i)
		all.Go(func() {
			<-gate
			for range times {
				g.lock.Lock()
				g.count++
				g.lock.Unlock()
			}
		})
	}
	meter := programs.StartMeter()
	close(gate)
	all.Wait()
	result := meter.Stop(uint64(c.size))
	result.Checksum = c.checksum()
	return result, nil
}
