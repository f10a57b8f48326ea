package simulate_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/simulate"
)

// Eight independent tasks of 1 ms on more processors than this machine may have. The costs are
// given here, so the result is always the same; simulate.Calibrate measures them on this machine.
func ExampleCosts_Run() {
	costs, err := simulate.ReadCosts(strings.NewReader(`{
		"transfer_ns": 60, "wake_ns": 1000, "wakeup_ns": 5000,
		"look_ns": 80, "probe_ns": 60, "steal_ns": 180,
		"pieces": [
			{"operation": "task", "from": "begun", "to": "ending", "ns": 1000000},
			{"operation": "task", "from": "ending", "to": "passing", "ns": 100},
			{"operation": "task", "from": "passing", "to": "begun", "ns": 100},
			{"operation": "task", "from": "passing", "to": "passing", "ns": 100}
		]
	}`))
	if err != nil {
		panic(err)
	}
	program := func(on *simulate.Host) (time.Duration, error) {
		rt := on.New()
		defer rt.Close()
		began := rt.Now()
		for range 8 {
			freerun.Go(rt.Context(), func(*freerun.Context) (struct{}, error) { return struct{}{}, nil })
		}
		err := rt.Quiesce(context.Background())
		return rt.Now().Sub(began), err
	}
	for _, processors := range []int{1, 2, 4, 8} {
		result, err := costs.Run(program, processors)
		if err != nil {
			panic(err)
		}
		fmt.Println(processors, result.Elapsed.Round(time.Millisecond))
	}
	// Output:
	// 1 8ms
	// 2 4ms
	// 4 2ms
	// 8 1ms
}
