package runtimetest

import "github.com/freerun-go/freerun"

// SpreadArg says how often Spread still divides, and to which unit it sends in the end.
type SpreadArg struct {
	To   *freerun.Unit[int]
	Left int
}

// Spread sends itself twice while Left is above zero, and then adds one to the unit.
var Spread = freerun.FreeOp[SpreadArg, int]("spread", nil)

var _ = freerun.Define(Spread, func(c *freerun.Context, a SpreadArg) (int, error) {
	if a.Left == 0 {
		return 0, AddOne.Tell(c, a.To, 1)
	}
	a.Left--
	if err := Spread.Tell(c, a); err != nil {
		return 0, err
	}
	return 0, Spread.Tell(c, a)
})
