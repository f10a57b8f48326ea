package simulate_test

import (
	"cmp"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest/misuse"
	"github.com/freerun-go/freerun/simulate"
)

// TestMisuseIsTold passes arguments that cannot be right, and holds that each panic or error says
// what would be.
func TestMisuseIsTold(t *testing.T) {
	idle := func(*simulate.Host) (time.Duration, error) { return 0, nil }
	misuse.Check(t, misuse.Calls{
		"Run of nil costs": {
			"simulate: Run needs costs and a program; ReadCosts and Calibrate return costs",
			func() { _, err := (*simulate.Costs)(nil).Run(idle, 1); panic(err) },
		},
		"Run of no program": {
			"simulate: Run needs costs and a program; ReadCosts and Calibrate return costs",
			func() { _, err := new(simulate.Costs).Run(nil, 1); panic(err) },
		},
		"Calibrate without a program": {
			"simulate: Calibrate needs a program",
			func() { _, err := simulate.Calibrate("none", nil); panic(err) },
		},
		"New with a zero option": {
			"simulate: New with a zero Option, the one with index 0",
			func() {
				var told any
				_, err := costsOf(t, usual).Run(func(on *simulate.Host) (time.Duration, error) {
					defer func() { told = recover() }()
					on.New(freerun.Option{})
					return 0, nil
				}, 1)
				panic(cmp.Or(told, any(err)))
			},
		},
		"New of a zero Host": {
			"simulate: New of a Host that is not of Run or Calibrate",
			func() { new(simulate.Host).New() },
		},
		"New of a nil Host": {
			"simulate: New of a Host that is not of Run or Calibrate",
			func() { (*simulate.Host)(nil).New() },
		},
	})
}
