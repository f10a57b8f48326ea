package freerun_test

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
	"github.com/freerun-go/freerun/internal/sched"
)

// TestPriorityFromOutside has units of Normal that are always busy, and an ordinary goroutine that
// sends messages of each priority to another unit, one at a time. By the median, a message of a
// lower priority waits for more operations of the busy units.
func TestPriorityFromOutside(t *testing.T) {
	const rounds = 101
	for _, units := range []int{1, 4} {
		rt, _ := runtimetest.Start(t, freerun.Processors(1))
		var ran atomic.Int64
		var ended atomic.Bool
		for range units {
			u := freerun.NewUnit(rt, 0)
			var busy func(c *freerun.Context, n *int) (int, error)
			busy = func(c *freerun.Context, _ *int) (int, error) {
				if ran.Add(1); !ended.Load() {
					freerun.Do(c, u, busy)
				}
				return 0, nil
			}
			freerun.Do(rt.Context(), u, busy)
		}
		last := int64(-1)
		for _, p := range runtimetest.Priorities {
			target := freerun.NewUnit(rt, 0, freerun.UnitPriority(p))
			var waited []int64
			for range rounds {
				sent := ran.Load()
				waited = append(waited, runtimetest.Must(t, freerun.Do(rt.Context(), target, func(*freerun.Context, *int) (int64, error) { return ran.Load() - sent, nil })))
			}
			slices.Sort(waited)
			median := waited[rounds/2]
			t.Logf("%d units: %v waits for %d operations", units, p, median)
			if median+drainGlance < last {
				t.Errorf("%d units: a message of %v waits for %d operations, one of the next higher priority for %d", units, p, median, last)
			}
			last = median
		}
		ended.Store(true)
	}
}

// drainGlance is how many messages of Normal or High run at most before the processor looks for
// other work that waits.
const drainGlance = 16

// TestPriorityEndsATurn: a unit of Low or Idle with many messages lets better work pass after the
// message that runs. It lets work of its own priority pass at the end of its turn, not before.
func TestPriorityEndsATurn(t *testing.T) {
	for _, own := range runtimetest.Priorities {
		for _, p := range runtimetest.Priorities {
			for _, mailboxes := range []bool{false, true} {
				t.Run(fmt.Sprint(p, " beside ", own, ", mailboxes: ", mailboxes), func(t *testing.T) {
					rt := freerun.New(freerun.Processors(1), freerun.Deterministic(1))
					defer rt.Close()
					c := rt.Context()
					var options []freerun.UnitOption
					if mailboxes {
						c = c.WithPriority(own)
					} else {
						options = append(options, freerun.UnitPriority(own))
					}
					u, target := freerun.NewUnit(rt, 0, options...), freerun.NewUnit(rt, 0, freerun.UnitPriority(p))
					ran, between := 0, -1
					for i := range 100 {
						freerun.Do(c, u, func(c *freerun.Context, _ *int) (int, error) {
							if ran++; i == 20 {
								sent := ran
								freerun.Do(c, target, func(*freerun.Context, *int) (int, error) { between = ran - sent; return 0, nil })
							}
							return 0, nil
						})
					}
					if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
						t.Fatal(err)
					}
					switch better := sched.Priority(p).Before(sched.Priority(own)); {
					case better && (own != freerun.Normal) && between != 0:
						t.Errorf("it came after %d messages", between)
					case better && between > drainGlance:
						t.Errorf("it came after %d messages", between)
					case sched.Priority(own).Before(sched.Priority(p)) && p != freerun.Normal && between == 0:
						t.Error("it came at once")
					}
				})
			}
		}
	}
}
