package freerun_test

import (
	"context"
	"fmt"

	"github.com/freerun-go/freerun"
)

// risk is the state of a unit that works for as long as the runtime runs.
type risk struct {
	self  *freerun.Unit[risk]
	steps int
}

var (
	// stepRisk is declared before it is defined, because it sends itself.
	stepRisk = freerun.Op[risk, struct{}, struct{}]("step risk", nil)
	// beginRisk has the unit know itself. NewUnit takes the state before there is a unit.
	beginRisk = freerun.Op("begin risk", freerun.NoResult(func(c *freerun.Context, r *risk, self *freerun.Unit[risk]) error {
		r.self = self
		return stepRisk.Tell(c, self, struct{}{})
	}))
	stepsOf = freerun.Op("steps of risk", func(_ *freerun.Context, r *risk, _ struct{}) (int, error) { return r.steps, nil })
)

var _ = freerun.Define(stepRisk, freerun.NoResult(func(c *freerun.Context, r *risk, _ struct{}) error {
	r.steps++ // a part of the work that takes microseconds, not more
	select {
	case <-c.Runtime().Draining(): // otherwise a Shutdown waits until its deadline
		return nil
	default:
		return stepRisk.Tell(c, r.self, struct{}{}) // other messages have their turns in between
	}
}))

// A unit that works in the background sends itself the next step. With the priority Idle it gets
// the time that is left.
func Example_background() {
	rt := freerun.New()
	u := freerun.NewUnit(rt, risk{}, freerun.UnitPriority(freerun.Idle))
	ctx := context.Background()
	if err := beginRisk.Tell(rt.Context(), u, u); err != nil {
		fmt.Println(err)
	}
	for steps := 0; steps < 1000; { // it answers between two steps
		var err error
		if steps, err = stepsOf.Call(ctx, u, struct{}{}); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(rt.Shutdown(ctx))
	// Output: <nil>
}
