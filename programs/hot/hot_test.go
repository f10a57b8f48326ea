package hot

import (
	"errors"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/programtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestVariants(t *testing.T) {
	for _, v := range []programs.Values{
		{programs.Size: 1, paramDepth: 1, paramCallers: 1, paramPause: 0},
		{programs.Size: 50, paramDepth: 1000, paramCallers: 1, paramPause: 0},
		{programs.Size: 21, paramDepth: 1000, paramCallers: 4, paramPause: 100},
	} {
		for name, r := range programtest.Run(t, Program, v) {
			for _, figure := range []string{"idle_call_ns", "flood_call_ns"} {
				got := programtest.Figure[[]uint64](t, r, figure)
				if len(got) != 3 || got[0] == 0 || !slices.IsSorted(got) {
					t.Errorf("%s: %s is %v, want three latencies that grow", name, figure, got)
				}
			}
		}
	}
}

func TestQuantile(t *testing.T) {
	var times []uint64
	for i := range 101 {
		times = append(times, uint64(i))
	}
	for thousandths, want := range map[int]uint64{0: 0, 500: 50, 990: 99, 1000: 100} {
		if got := quantile(times, thousandths); got != want {
			t.Errorf("quantile %d of 0 to 100 is %d, want %d", thousandths, got, want)
		}
	}
}

// TestFailuresEndTheRun has a call that fails: every caller must return, and the flood must end.
func TestFailuresEndTheRun(t *testing.T) {
	fault := errors.New("fault")
	calls, stops := 0, 0
	s := subject{
		call: func(int) error {
			if calls++; calls > 10 {
				return fault
			}
			return nil
		},
		flood: func() error { return nil },
		stop:  func() error { stops++; return nil },
	}
	_, err := run(s, programs.Config{Values: programs.Values{programs.Size: 10, paramDepth: 1, paramCallers: 1, paramPause: 0}})
	if !errors.Is(err, fault) || stops != 1 {
		t.Errorf("error %v and %d stops, want the fault and one", err, stops)
	}
}
