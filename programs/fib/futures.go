package fib

import (
	"context"
	"strconv"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/programs"
)

// call is the argument of a fib operation. Its fields are small to keep the message small: with two
// ints it would take 80 bytes instead of 64.
type call struct{ n, work int32 }

// sum is the argument of a plus operation, which starts when both futures are resolved.
type sum struct {
	x, y freerun.Future[int]
	work int32
}

// fib sends itself, so it gets its function below.
var fib = freerun.FreeOp[call, int]("fib", nil)

var plus = freerun.FreeOp("plus", add)

func add(_ *freerun.Context, s sum) (int, error) {
	return s.x.Value() + s.y.Value() + burn(int(s.work)), nil
}

var _ = freerun.Define(fib, func(c *freerun.Context, a call) (int, error) {
	extra := burn(int(a.work))
	if a.n < 2 {
		return int(a.n) + extra, nil
	}
	x := fib.Send(c, call{a.n - 1, a.work})
	y := fib.Send(c, call{a.n - 2, a.work})
	return freerun.Forward(c, plus.Send(c, sum{x, y, a.work}))
})

func runFutures(cfg programs.Config) (programs.Result, error) { return run(cfg, fib) }

func run(cfg programs.Config, fib *freerun.FreeOperation[call, int]) (programs.Result, error) {
	n, work := cfg.Values.Get(programs.Size), cfg.Values.Get(work)
	rt := cfg.NewRuntime()
	defer rt.Close()
	meter := cfg.StartMeter()
	value, err := fib.Send(rt.Context(), call{int32(n), int32(work)}).Wait(context.Background())
	r := meter.Stop(calls(n))
	if err != nil {
		return r, err
	}
	r.Checksum = strconv.Itoa(value)
	r.Figures = []programs.Figure{programs.MessagesPerProcessor(rt)}
	return r, nil
}
