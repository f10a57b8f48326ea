package matrix

import (
	"sync"

	"github.com/freerun-go/freerun/programs"
)

func runGoroutines(cfg programs.Config) (programs.Result, error) {
	return onGoroutines(cfg, (*problem).multiply)
}

// onGoroutines has a goroutine for each task, which multiplies its rows.
func onGoroutines(cfg programs.Config, multiply func(p *problem, from, to int)) (programs.Result, error) {
	p, tasks := newProblem(cfg.Values.Get(programs.Size)), cfg.Values.Get(paramTasks)
	alone := p.alone()
	var all sync.WaitGroup
	meter := programs.StartMeter()
	for i := range tasks {
		all.Go(func() {
			from, to := p.share(i, tasks)
			multiply(p, from, to)
		})
	}
	all.Wait()
	result := meter.Stop(p.operations())
	result.Checksum, result.Figures = p.checksum(), speedup(alone, result.Elapsed)
	return result, nil
}
