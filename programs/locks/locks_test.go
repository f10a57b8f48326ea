package locks

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/programtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestVariants(t *testing.T) {
	for _, goroutines := range []int{1, 2, 7} {
		values := programs.Values{programs.Size: 3000, paramGoroutines: goroutines}
		for name, r := range programtest.Run(t, Program, values) {
			if r.Operations != 3000 {
				t.Errorf("%s: %d operations, want 3000", name, r.Operations)
			}
		}
	}
}

func TestUnfairness(t *testing.T) {
	taken := make([]uint64, 64)
	taken[0], taken[16], taken[32], taken[48] = 10, 20, 30, 40
	if got := unfairness(taken, 4, 100); got != 120 {
		t.Errorf("%d%%, want 120%%: 30 more than the least, of a mean of 25", got)
	}
}
