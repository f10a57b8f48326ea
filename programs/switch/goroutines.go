package switching

import (
	"runtime"
	"sync"
	"time"

	"github.com/freerun-go/freerun/programs"
)

func runGoroutines(cfg programs.Config) (programs.Result, error) {
	d := newDance(cfg.Values)
	var all sync.WaitGroup
	meter := programs.StartMeter()
	began := time.Now()
	for i := range d.dancers {
		me := &d.dancers[i]
		all.Go(func() {
			done := 0
			for ; done < me.steps; done++ {
				runtime.Gosched()
			}
			me.end(done)
		})
	}
	all.Wait()
	return d.result(began, meter.Stop(uint64(d.size))), nil
}
