package tick

import (
	"sync"

	"github.com/freerun-go/freerun/programs"
)

func runGoroutines(cfg programs.Config) (programs.Result, error) {
	done := 0
	return run(cfg.Values.Get(programs.Size), func() error { done++; return nil }, func() (int, error) { return done, nil })
}

func runChannels(cfg programs.Config) (programs.Result, error) {
	done := 0
	ticks := make(chan struct{})
	var receiver sync.WaitGroup
	receiver.Go(func() {
		for range ticks {
			done++
		}
	})
	end := sync.OnceFunc(func() {
		close(ticks)
		receiver.Wait()
	})
	defer end()
	return run(cfg.Values.Get(programs.Size), func() error { ticks <- struct{}{}; return nil },
		func() (int, error) { end(); return done, nil })
}
