package switching

import (
	"runtime"
	"sync"
	"time"

	"github.com/freerun-go/freerun/programs"
)

func runGoroutines(cfg programs.Config) (programs.Result, error) {
	d := newDance(cfg.Values)
	gate := make(chan struct{})
	var all sync.WaitGroup
	for i := range d.dancers {
		me := &d.dancers[i]
		all.Go(func() {
			<-gate
			done := 0
			for ; done < me.steps; done++ {
				runtime.Gosched()
			}
			me.end(done)
		})
	}
	meter := programs.StartMeter()
	began := time.Now()
	close(gate)
	all.Wait()
	return d.result(began, meter.Stop(uint64(d.size))), nil
}
