package eratosthenes

import (
	"sync"

	"github.com/freerun-go/freerun/programs"
)

// chain is the sieves that are goroutines.
type chain struct {
	buffer int
	all    sync.WaitGroup
	mu     sync.Mutex
	found  tally
}

func runGoroutines(cfg programs.Config) (programs.Result, error) {
	size := cfg.Values.Get(programs.Size)
	c := &chain{buffer: cfg.Values.Get(paramBuffer)}
	meter := programs.StartMeter()
	first := c.start()
	for number := 2; number <= size; number++ {
		first <- number
	}
	close(first)
	c.all.Wait()
	result := meter.Stop(c.found.given)
	result.Checksum = c.found.String()
	return result, nil
}

// start starts a sieve and returns the channel for its numbers.
func (c *chain) start() chan<- int {
	in := make(chan int, c.buffer)
	c.all.Go(func() { c.sieve(in) })
	return in
}

// sieve starts the next sieve when it has a number for it. Each sieve gets a first number.
func (c *chain) sieve(in <-chan int) {
	s := sieve{prime: <-in, given: 1}
	var out chan<- int
	for number := range in {
		if !s.passes(number) {
			continue
		}
		if out == nil {
			out = c.start()
		}
		out <- number
	}
	if out != nil {
		close(out)
	}
	c.mu.Lock()
	c.found.add(s)
	c.mu.Unlock()
}
