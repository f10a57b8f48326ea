package fanin

import (
	"context"
	"strconv"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/programs"
)

// count is the operation of the counting unit.
var count = freerun.Op("count", freerun.NoResult(func(_ *freerun.Context, t *tally, m message) error {
	t.receive(m)
	return nil
}))

// total is the number that the unit has counted.
var total = freerun.Op("total", func(_ *freerun.Context, t *tally, _ struct{}) (int, error) {
	return t.sum, nil
})

func runUnits(cfg programs.Config) (result programs.Result, err error) {
	rt := cfg.NewRuntime()
	defer func() {
		if closing := rt.Close(); err == nil {
			err = closing
		}
	}()
	t := newTally(cfg)
	unit, outside := freerun.NewUnit(rt, t), rt.Context()
	result, err = run(cfg, t.finish, func(m message) {
		if err := count.Tell(outside, unit, m); err != nil {
			t.finish.Fail(err)
		}
	})
	if err != nil {
		return result, err
	}
	sum, err := total.Send(outside, unit, struct{}{}).Wait(context.Background())
	if err != nil {
		return result, err
	}
	result.Checksum = strconv.Itoa(sum)
	return result, nil
}
