package freerun_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// TestLateReports has more operations that do not return than the runtime keeps reports of: it
// drops the oldest reports.
func TestLateReports(t *testing.T) {
	const reported = freerun.MostLateReports + 2
	reports := make(chan freerun.LateReport, reported)
	rt, _ := runtimetest.Start(t, freerun.Processors(1), freerun.Watchdog(time.Millisecond, 0), freerun.OnLate(func(l freerun.LateReport) { reports <- l }))
	if kept := rt.LateReports(); len(kept) != 0 || rt.Stats().Late != 0 {
		t.Errorf("before anything happened there are %v", kept)
	}
	for i := range reported {
		g := runtimetest.NewGate()
		f := observed.Send(rt.Context(), freerun.NewUnit(rt, g, freerun.UnitName(fmt.Sprint("unit ", i))), 0)
		<-reports
		close(g.Opened)
		runtimetest.Must(t, f)
	}
	kept := rt.LateReports()
	if len(kept) != freerun.MostLateReports || rt.Stats().Late != reported {
		t.Fatalf("%d reports are kept of %d, want %d of %d", len(kept), rt.Stats().Late, freerun.MostLateReports, reported)
	}
	for i, at := range kept {
		if want := fmt.Sprint("unit ", i+2); at.Unit != want || at.Operation != "freerun_test.observed" || at.At.IsZero() || len(at.Stack) == 0 {
			t.Errorf("report %d is of %s on %s at %v, want freerun_test.observed on %s", i, at.Operation, at.Unit, at.At, want)
		}
		if i > 0 && at.At.Before(kept[i-1].At) {
			t.Errorf("report %d is older than the one before it", i)
		}
	}
	kept[0] = freerun.LateReport{}
	if rt.LateReports()[0].Unit == "" {
		t.Error("the slice is not a copy")
	}
}

// TestRunning asks what processors are running while operations run.
func TestRunning(t *testing.T) {
	for _, c := range []struct {
		option freerun.Option
		unit   string
	}{
		{freerun.Processors(2), ""},
		{freerun.Watchdog(time.Hour, 0), "ada"},
	} {
		rt, _ := runtimetest.Start(t, freerun.Processors(2), c.option)
		g := runtimetest.NewGate()
		f := observed.Send(rt.Context(), freerun.NewUnit(rt, g, freerun.UnitName("ada")), 0)
		<-g.Entered
		busy := 0
		for _, now := range rt.Running() {
			if now == (freerun.RunningOperation{Operation: "freerun_test.observed", Unit: c.unit}) {
				busy++
			} else if now != (freerun.RunningOperation{}) {
				t.Errorf("a processor runs %+v", now)
			}
		}
		if busy != 1 {
			t.Errorf("%d processors run the operation on %q, want 1: %+v", busy, c.unit, rt.Running())
		}
		close(g.Opened)
		runtimetest.Must(t, f)
		rt.Close()
		for i, now := range rt.Running() {
			if now != (freerun.RunningOperation{}) {
				t.Errorf("after the end processor %d runs %+v", i, now)
			}
		}
	}
}
