package hot

import (
	"sync"
	"sync/atomic"

	"github.com/freerun-go/freerun/programs"
)

// runChannels gives each hot entity's channel room for all messages of the flood, so that none
// waits for another.
func runChannels(cfg programs.Config) (programs.Result, error) {
	depth := cfg.Values.Get(paramDepth)
	var stopped atomic.Bool
	var left, calls atomic.Int64
	var all, flood sync.WaitGroup // each message that is kept counts flood down

	var hot [hotOnes]chan struct{}
	for i := range hot {
		hot[i] = make(chan struct{}, hotOnes*depth)
	}
	for i, in := range hot {
		out := hot[(i+1)%hotOnes]
		all.Go(func() {
			kept := 0
			for m := range in {
				if stopped.Load() {
					kept++
					flood.Done()
				} else {
					out <- m
				}
			}
			left.Add(int64(kept))
		})
	}
	var quiet [quietOnes]chan chan int
	for i := range quiet {
		in := make(chan chan int, 16)
		quiet[i] = in
		all.Go(func() {
			answered := 0
			for reply := range in {
				answered++
				reply <- answered
			}
			calls.Add(int64(answered))
		})
	}
	end := sync.OnceFunc(func() {
		for i := range hot {
			close(hot[i])
		}
		for i := range quiet {
			close(quiet[i])
		}
		all.Wait()
	})
	defer end()
	return run(subject{
		call: func(i int) error {
			reply := make(chan int, 1)
			quiet[i] <- reply
			<-reply
			return nil
		},
		flood: func() error {
			flood.Add(hotOnes * depth)
			for range depth {
				for i := range hot {
					hot[i] <- struct{}{}
				}
			}
			return nil
		},
		stop: func() error {
			stopped.Store(true)
			flood.Wait()
			return nil
		},
		count: func() (int, int, error) {
			end()
			return int(calls.Load()), int(left.Load()), nil
		},
	}, cfg)
}
