package tick

import (
	"errors"
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/programtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestVariants(t *testing.T) {
	for _, size := range []int{1, 20} {
		for name, r := range programtest.Run(t, Program, programs.Values{programs.Size: size}) {
			if wall := programtest.Figure[uint64](t, r, "wall_ns_per_tick"); r.Operations != uint64(size) || wall == 0 {
				t.Errorf("%s: %d operations of %d ns, want %d in a measurable time", name, r.Operations, wall, size)
			}
		}
	}
}

func TestFailuresEndTheRun(t *testing.T) {
	fault := errors.New("fault")
	if _, err := run(10, func() error { return fault }, func() (int, error) { return 0, nil }); !errors.Is(err, fault) {
		t.Errorf("error %v of a tick, want the fault", err)
	}
	if _, err := run(1, func() error { return nil }, func() (int, error) { return 0, fault }); !errors.Is(err, fault) {
		t.Errorf("error %v of the end, want the fault", err)
	}
}
