package cas

import (
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/programtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestVariants(t *testing.T) {
	for _, v := range []programs.Values{
		{programs.Size: 1, paramContenders: 0},
		{programs.Size: 10_000, paramContenders: 0},
		{programs.Size: 10_000, paramContenders: 1},
		{programs.Size: 10_000, paramContenders: 20},
		{programs.Size: 5, paramContenders: 20},
	} {
		for name, r := range programtest.Run(t, Program, v) {
			if size := uint64(v.Get(programs.Size)); r.Operations != size {
				t.Errorf("%s with %v: %d operations, want %d", name, v, r.Operations, size)
			}
			contenders := programtest.Figure[uint64](t, r, "goroutines")
			if want := uint64(v.Get(paramContenders)); want != 0 && contenders != want {
				t.Errorf("%s with %v: %d contenders, want %d", name, v, contenders, want)
			}
			share := programtest.Figure[[]uint64](t, r, "share_per_1000")
			if share[0] > share[1] || share[1] > 1000 || share[0] > 1000/contenders {
				t.Errorf("%s with %v: the shares of %d contenders are from %d to %d in 1000", name, v, contenders, share[0], share[1])
			}
			if failed := programtest.Figure[uint64](t, r, "failed_per_1000"); contenders == 1 && failed != 0 {
				t.Errorf("%s with %v: %d failures in 1000 without contention", name, v, failed)
			}
		}
	}
}

// TestContendersPerProcessor: by default there is a contender for each processor.
func TestContendersPerProcessor(t *testing.T) {
	for _, processors := range []int{1, 3} {
		variant, _ := Program.Variant("backoff")
		r, err := Program.Run(variant, programs.Config{
			Processors: processors, Values: programs.Values{programs.Size: 100, paramContenders: 0},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := programtest.Figure[uint64](t, r, "goroutines"); got != uint64(processors) {
			t.Errorf("%d contenders, want %d", got, processors)
		}
	}
}

// TestFailuresAreCounted changes the word between a contender's load and its compare-and-swap,
// often enough that some of its steps fail. Each failure is due to a step of the other contender,
// so there cannot be more failures than such steps.
func TestFailuresAreCounted(t *testing.T) {
	const size = 200_000
	for name, count := range map[string]contender{"backoff": countBackingOff, "plain": countPlainly} {
		r, err := run(4, size, count)
		if err != nil {
			t.Fatal(err)
		}
		if failed := programtest.Figure[uint64](t, r, "failed_per_1000"); failed > 3*1000 {
			t.Errorf("%s: %d failures for each 1000 successes of four contenders, of whom three can fail for each success", name, failed)
		}
	}
}

// TestDisagreement simulates a contender that miscounts: the run must fail instead of reporting a
// figure.
func TestDisagreement(t *testing.T) {
	_, err := run(2, 100, func(w *word, size uint64) tally {
		t := countPlainly(w, size)
		t.succeeded++
		return t
	})
	if err == nil || !strings.Contains(err.Error(), "counted 102 operations, and the word 100") {
		t.Errorf("error %v, want one that tells the difference", err)
	}
}
