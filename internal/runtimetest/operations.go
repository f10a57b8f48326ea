package runtimetest

import (
	"sync/atomic"

	"github.com/freerun-go/freerun"
)

// AddOne adds to a unit's number, and returns the sum.
var AddOne = freerun.Op("addOne", func(_ *freerun.Context, n *int, by int) (int, error) {
	*n += by
	return *n, nil
})

// Tick is a free operation that returns 1 and adds one to Ticks.
var Tick = freerun.FreeOp("tick", func(*freerun.Context, int) (int, error) {
	Ticks.Add(1)
	return 1, nil
})

// Ticks is how often Tick has run in this process.
var Ticks atomic.Int64

// Panicking adds one to a unit's number, and panics with its argument.
var Panicking = freerun.Op("panicking", func(_ *freerun.Context, n *int, value any) (int, error) {
	*n++
	panic(value)
})

// FailWith fails with its argument.
var FailWith = freerun.Op("failWith", func(_ *freerun.Context, _ *int, err error) (int, error) { return 0, err })

// Pair is an argument with two futures.
type Pair struct{ X, Y freerun.Future[int] }

// AddTwo adds two futures.
var AddTwo = freerun.FreeOp("addTwo", func(_ *freerun.Context, p Pair) (int, error) { return p.X.Value() + p.Y.Value(), nil })

// Wide is an argument with any number of futures.
type Wide struct{ All []freerun.Future[int] }

// SumWide adds the futures of a Wide.
var SumWide = freerun.FreeOp("sumWide", func(_ *freerun.Context, w Wide) (n int, err error) {
	for _, f := range w.All {
		n += f.Value()
	}
	return n, nil
})
