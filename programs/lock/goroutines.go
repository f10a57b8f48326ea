package lock

import (
	"sync"

	"github.com/freerun-go/freerun/programs"
)

func runGoroutines(cfg programs.Config) (programs.Result, error) {
	c := newContest[sync.Mutex](cfg.Values)
	var all sync.WaitGroup
	meter := programs.StartMeter()
	for i := range c.tasks {
		g, times := c.part(i)
		all.Go(func() {
			for range times {
				g.lock.Lock()
				g.count++
				g.lock.Unlock()
			}
		})
	}
	all.Wait()
	result := meter.Stop(uint64(c.size))
	result.Checksum = c.checksum()
	return result, nil
}
