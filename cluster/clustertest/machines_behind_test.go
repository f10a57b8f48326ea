package clustertest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/logsim"
)

// TestMachinesBehind holds that what comes to a unit has its outcome, whatever the unit does at the
// moment when its record is written without it, for an operation that has failed on another unit.
func TestMachinesBehind(t *testing.T) {
	names := []string{"one", "two", "three", "none"}
	for seed := range uint64(*machineRuns) {
		runOnMachine(t, seed, logsim.Faults{}, func(s *machines, m *machine) {
			c := m.rt.Context()
			all := map[string]freerun.Future[int]{}
			for n := range 3 * len(names) {
				var units []*freerun.Unit[shelf]
				var on []string
				for _, i := range s.random.Perm(len(names))[:1+s.random.IntN(len(names))] {
					on = append(on, names[i])
					units = append(units, shelves.At(c, "{b}"+names[i]))
				}
				what := fmt.Sprint(n, on)
				if len(units) == 1 {
					all[what] = stack.Send(c, units[0], 1)
				} else {
					all[what] = stackAll.Send(c, units, 1)
				}
			}
			for what, f := range all {
				_, err := f.Wait(context.Background())
				if failed := err != nil && strings.Contains(err.Error(), errNoShelf.Error()); failed != strings.Contains(what, "none") || err != nil && !failed {
					s.Errorf("%s: %v", what, err)
				}
			}
		})
		if t.Failed() {
			t.Fatalf("it is seed %d", seed)
		}
	}
}
