package fib

import (
	"strconv"

	"github.com/freerun-go/freerun/programs"
)

func runSerial(cfg programs.Config) (programs.Result, error) {
	n, work := cfg.Values.Get(programs.Size), cfg.Values.Get(work)
	meter := programs.StartMeter()
	value := serial(n, work)
	r := meter.Stop(calls(n))
	r.Checksum = strconv.Itoa(value)
	return r, nil
}

func serial(n, work int) int {
	extra := burn(work)
	if n < 2 {
		return n + extra
	}
	x, y := serial(n-1, work), serial(n-2, work)
	return x + y + extra + burn(work)
}
