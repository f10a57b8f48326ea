package matrix

import (
	"sync"

	"github.com/freerun-go/freerun/programs"
)

func runGoroutines(cfg programs.Config) (programs.Result, error) {
	p, tasks := newProblem(cfg.Values.Get(programs.Size)), cfg.Values.Get(paramTasks)
	alone := p.alone()
	var all sync.WaitGroup
	meter := programs.StartMeter()
	for i := range tasks {
		all.Go(func() { p.multiply(p.share(i, tasks)) })
	}
	all.Wait()
	result := meter.Stop(p.operations())
	result.Checksum, result.Figures = p.checksum(), speedup(alone, result.Elapsed)
	return result, nil
}
