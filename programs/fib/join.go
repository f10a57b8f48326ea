package fib

import (
	"context"
	"strconv"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/programs"
)

// joined forks itself.
var joined = freerun.NewForkFunc[call, int](nil)

var _ = freerun.Define(joined, func(c *freerun.Context, a call) int {
	extra := burn(int(a.work))
	if a.n < 2 {
		return int(a.n) + extra
	}
	x, y := joined.Join(c, call{a.n - 1, a.work}, call{a.n - 2, a.work})
	return x + y + extra + burn(int(a.work))
})

func runJoin(cfg programs.Config) (programs.Result, error) {
	return onRuntime(cfg, func(c *freerun.Context, n, work int) int {
		return joined.Run(c, call{int32(n), int32(work)})
	})
}

func runJoinClosures(cfg programs.Config) (programs.Result, error) {
	return onRuntime(cfg, joinedClosures)
}

// joinedClosures has its second branch in a closure, which is one allocation.
func joinedClosures(c *freerun.Context, n, work int) int {
	extra := burn(work)
	if n < 2 {
		return n + extra
	}
	x, y := freerun.Join(c,
		func(c *freerun.Context) int { return joinedClosures(c, n-1, work) },
		func(c *freerun.Context) int { return joinedClosures(c, n-2, work) })
	return x + y + extra + burn(work)
}

// onRuntime measures compute, run as an operation.
func onRuntime(cfg programs.Config, compute func(c *freerun.Context, n, work int) int) (programs.Result, error) {
	n, work := cfg.Values.Get(programs.Size), cfg.Values.Get(work)
	rt := cfg.NewRuntime()
	defer rt.Close()
	meter := cfg.StartMeter()
	value, err := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
		return compute(c, n, work), nil
	}).Wait(context.Background())
	r := meter.Stop(calls(n))
	r.Checksum = strconv.Itoa(value)
	return r, err
}
