package lock

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/programtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestVariants(t *testing.T) {
	for _, v := range []programs.Values{
		{programs.Size: 1, paramTasks: 1, paramLocks: 0},
		{programs.Size: 10_000, paramTasks: 1, paramLocks: 1},
		{programs.Size: 10_000, paramTasks: 100, paramLocks: 1},
		{programs.Size: 10_000, paramTasks: 2, paramLocks: 0},
		{programs.Size: 10_000, paramTasks: 300, paramLocks: 0},
	} {
		for name, r := range programtest.Run(t, Program, v) {
			if r.Operations != uint64(v[programs.Size]) {
				t.Errorf("%s: %d operations, want %d", name, r.Operations, v[programs.Size])
			}
		}
	}
}

// TestParts: the tasks together take the locks as often as they should, each the right one.
func TestParts(t *testing.T) {
	for _, local := range []int{0, 1} {
		c := newContest[struct{}](programs.Values{programs.Size: 100, paramTasks: 7, paramLocks: local})
		seen, sum := map[*guarded[struct{}]]bool{}, 0
		for i := range c.tasks {
			g, times := c.part(i)
			seen[g] = true
			sum += times
			g.count += times
		}
		if want := 1 + 6*local; len(seen) != want || sum != 100 || c.checksum() != "100" {
			t.Errorf("local %d: %d locks taken %d times, counted %s; want %d and 100", local, len(seen), sum, c.checksum(), want)
		}
	}
}
