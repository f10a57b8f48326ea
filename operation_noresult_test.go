package freerun_test

import (
	"errors"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

var errOdd = errors.New("odd")

// Operations of all forms that NoResult is for. Each fails with an odd number.
var (
	keepsEven = freerun.Op("keepsEven", freerun.NoResult(func(_ *freerun.Context, s *int, n int) error {
		if n%2 == 1 {
			return errOdd
		}
		*s = n
		return nil
	}))
	isNumber = freerun.ReadOp("isNumber", freerun.NoResult(func(_ *freerun.Context, s *int, n int) error {
		if *s != n || n%2 == 1 {
			return errOdd
		}
		return nil
	}))
	areNumber = freerun.OpAll("areNumber", freerun.NoResult(func(_ *freerun.Context, all []*int, n int) error {
		for _, s := range all {
			if *s != n || n%2 == 1 {
				return errOdd
			}
		}
		return nil
	}))
	countsDown = freerun.Op("countsDown", freerun.NoResult[*int, int](nil))
	_          = freerun.Define(countsDown, freerun.NoResult(func(c *freerun.Context, s *int, n int) error {
		if *s = n; n == 0 {
			return nil
		}
		_, err := freerun.Forward(c, countsDown.Send(c, numberUnit, n-1))
		return err
	}))
	numberUnit *freerun.Unit[int]
)

// TestNoResult runs operations without a result: their errors are the outcome.
func TestNoResult(t *testing.T) {
	rt := runtimetest.Quiet(t)
	c, u := rt.Context(), freerun.NewUnit(rt, 0)
	for n, want := range map[int]error{4: nil, 5: errOdd} {
		_, kept := keepsEven.Send(c, u, n).Wait(c)
		_, read := isNumber.Send(c, u, n).Wait(c)
		_, all := areNumber.Send(c, []*freerun.Unit[int]{u}, n).Wait(c)
		if n == 4 && (kept != nil || read != nil || all != nil) || n == 5 && (kept != want || read != want || all != want) {
			t.Errorf("%d: %v, %v, %v", n, kept, read, all)
		}
	}
	numberUnit = freerun.NewUnit(rt, 0)
	if _, err := countsDown.Send(c, numberUnit, 3).Wait(c); err != nil {
		t.Error(err)
	}
	if n := runtimetest.Must(t, freerun.Do(c, numberUnit, func(_ *freerun.Context, s *int) (int, error) { return *s, nil })); n != 0 {
		t.Errorf("counted down to %d", n)
	}
}
