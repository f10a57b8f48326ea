package create

import (
	"errors"
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/programtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestVariants(t *testing.T) {
	for _, v := range []programs.Values{
		{programs.Size: 1, paramBatch: 1},
		{programs.Size: 300, paramBatch: 1},
		{programs.Size: 1000, paramBatch: 33},
		{programs.Size: 10, paramBatch: 2000},
	} {
		for name, r := range programtest.Run(t, Program, v) {
			if r.Operations < uint64(v[programs.Size]) || r.Operations%uint64(v[paramBatch]) != 0 {
				t.Errorf("%s: %d tasks, want at least %d in whole batches", name, r.Operations, v[programs.Size])
			}
			if programtest.Figure[uint64](t, r, "process_bytes") < 1<<20 {
				t.Errorf("%s: the process cannot be as small as the figures say: %v", name, r.Figures)
			}
			if v[paramBatch] >= fewest && programtest.Figure[uint64](t, r, "bytes_each") == 0 {
				t.Errorf("%s: a task takes no memory", name)
			}
		}
	}
}

// TestTasksRunTwice: a task that runs once too often is noticed.
func TestTasksRunTwice(t *testing.T) {
	for _, twice := range []bool{false, true} {
		w := newWork(programs.Values{programs.Size: 5, paramBatch: 5})
		w.begin()
		last := 0
		for range 5 {
			if w.last() {
				last++
			}
		}
		if twice && w.last() {
			last++
		}
		w.end()
		if last != 1 || (w.ended == 5) == twice {
			t.Errorf("%d tasks were the last, %d ended", last, w.ended)
		}
	}
}

// TestMemory: the figures are right for tasks whose memory is known, and an error is reported.
func TestMemory(t *testing.T) {
	w := &work{batch: 2000}
	var held [][]byte
	figures, err := w.memory(func(tasks int) (uint64, error) {
		before := live()
		for range tasks {
			held = append(held, make([]byte, 1024))
		}
		return grown(before), nil
	})
	if err != nil || len(figures) != 2 || len(held) != 2000 {
		t.Fatalf("figures %v of %d tasks, error %v", figures, len(held), err)
	}
	if each := figures[1].Value.(uint64); each < 1024 || each > 1400 {
		t.Errorf("%d bytes each, want some more than 1024", each)
	}
	fault := errors.New("fault")
	if _, err := w.memory(func(int) (uint64, error) { return 0, fault }); !errors.Is(err, fault) {
		t.Errorf("error %v, want the fault", err)
	}
}
