package fib

import (
	"strconv"

	"github.com/freerun-go/freerun/programs"
)

func runGoroutines(cfg programs.Config) (programs.Result, error) {
	n, work := cfg.Values.Get(programs.Size), cfg.Values.Get(work)
	meter := programs.StartMeter()
	value := forked(n, work)
	r := meter.Stop(calls(n))
	r.Checksum = strconv.Itoa(value)
	return r, nil
}

// forked makes one goroutine per addition, not two: the cheap form. The channel has room for the
// answer, so the goroutine that sends it never waits for its receiver.
func forked(n, work int) int {
	extra := burn(work)
	if n < 2 {
		return n + extra
	}
	answer := make(chan int, 1)
	go func() { answer <- forked(n-1, work) }()
	y := forked(n-2, work)
	return <-answer + y + extra + burn(work)
}
