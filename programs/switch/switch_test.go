package switching

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/programtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestVariants(t *testing.T) {
	for _, v := range []programs.Values{
		{programs.Size: 1, paramTasks: 1},
		{programs.Size: 10_000, paramTasks: 1},
		{programs.Size: 10_000, paramTasks: 7},
		{programs.Size: 5000, paramTasks: 1000},
		{programs.Size: 10, paramTasks: 100},
	} {
		for name, r := range programtest.Run(t, Program, v) {
			if r.Operations != uint64(v[programs.Size]) {
				t.Errorf("%s: %d switches, want %d", name, r.Operations, v[programs.Size])
			}
			if first := programtest.Figure[uint64](t, r, "first_percent"); first > 100 {
				t.Errorf("%s: the first task was done after %d%% of the time", name, first)
			}
		}
	}
}

// TestResult checks the result of tasks whose times are known.
func TestResult(t *testing.T) {
	d := newDance(programs.Values{programs.Size: 10, paramTasks: 3})
	began := time.Now()
	for i := range d.dancers {
		d.dancers[i].done, d.dancers[i].at = d.dancers[i].steps, began.Add(time.Duration(9-i)*time.Second)
	}
	r := d.result(began, programs.Result{Elapsed: 10 * time.Second})
	if r.Checksum != "10" || r.Figures[0].Value != uint64(70) {
		t.Errorf("checksum %s, figures %v; want 10, and 70%%", r.Checksum, r.Figures)
	}
}
