package mandelbrot

import (
	"sync"

	"github.com/freerun-go/freerun/programs"
)

func runGoroutines(cfg programs.Config) (programs.Result, error) {
	p := newPlane(cfg.Values)
	var all sync.WaitGroup
	meter := programs.StartMeter()
	for i := range p.parts {
		mine := &p.parts[i]
		all.Go(func() {
			var found tally
			for row := mine.from; row < mine.to; row++ {
				found.row(p, row)
			}
			mine.found = found
		})
	}
	all.Wait()
	result := meter.Stop(p.points())
	result.Checksum = p.checksum()
	return result, nil
}
