package fib

import (
	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/programs"
)

// The same operations as in futures.go, declared small: most of them run where they are sent.

var smallFib = freerun.SmallOp[call, int]("smallFib", nil)

var smallPlus = freerun.SmallOp("smallPlus", add)

var _ = freerun.Define(smallFib, func(c *freerun.Context, a call) (int, error) {
	extra := burn(int(a.work))
	if a.n < 2 {
		return int(a.n) + extra, nil
	}
	x := smallFib.Send(c, call{a.n - 1, a.work})
	y := smallFib.Send(c, call{a.n - 2, a.work})
	return freerun.Forward(c, smallPlus.Send(c, sum{x, y, a.work}))
})

func runLazy(cfg programs.Config) (programs.Result, error) { return run(cfg, smallFib) }
