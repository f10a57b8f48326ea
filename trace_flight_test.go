package freerun_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
	"github.com/freerun-go/freerun/recording"
)

// TestFlightRecorder fills the recorder several times over, and reads what it keeps: the end, in
// which runs have their sends.
func TestFlightRecorder(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2), freerun.FlightRecorder(1<<16))
	units := []*freerun.Unit[int]{freerun.NewUnit(rt, 0), freerun.NewUnit(rt, 0), freerun.NewUnit(rt, 0)}
	for i := range 2000 {
		traceRound(rt.Context(), units, i)
	}
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	last := runtimetest.Must(t, traceLeaf.Send(rt.Context(), units[0], 1))
	if last == 0 {
		t.Fatal("nothing was run")
	}
	var file bytes.Buffer
	if err := rt.DumpFlight(&file); err != nil {
		t.Fatal(err)
	}
	tr, err := recording.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	b := audit(tr)
	if b.ran == 0 || b.ran >= 2000*10 || b.twice != 0 || b.early != 0 {
		t.Errorf("of 20000 messages the last should be there: %+v", b)
	}
	final := tr.Messages()[tr.Sent]
	if tr.Operation(final.Operation) != freerun.NameOf(traceLeaf) || final.Sent < 0 || final.Begin < final.Sent {
		t.Errorf("the last message is %+v, %s", final, tr.Operation(final.Operation))
	}
	if tr.Lost != 0 || tr.Events[0].Time != 0 {
		t.Errorf("%d lost, and the first event at %d: a window begins with it, and nothing in it is missing", tr.Lost, tr.Events[0].Time)
	}
}

// TestFlightAndTrace records a runtime that has a flight recorder, which goes on afterwards.
func TestFlightAndTrace(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.FlightRecorder(1<<20))
	u := freerun.NewUnit(rt, 0)
	send := func() { runtimetest.Must(t, traceLeaf.Send(rt.Context(), u, 1)) }
	flight := func() int {
		var file bytes.Buffer
		if err := rt.DumpFlight(&file); err != nil {
			t.Fatal(err)
		}
		tr, err := recording.Read(&file)
		if err != nil {
			t.Fatal(err)
		}
		return audit(tr).runs[freerun.NameOf(traceLeaf)]
	}
	send()
	tr := traced(t, rt, send)
	if n := audit(tr).runs[freerun.NameOf(traceLeaf)]; n != 1 {
		t.Errorf("one message was run meanwhile, and %d recorded", n)
	}
	if n := flight(); n != 1 {
		t.Errorf("the flight recorder paused, and has %d messages, not the one before", n)
	}
	send()
	if n := flight(); n != 2 {
		t.Errorf("the flight recorder goes on, and has %d messages, not 2", n)
	}
}

// TestDumpWhenLate has the watchdog find an operation that does not return.
func TestDumpWhenLate(t *testing.T) {
	folder := t.TempDir()
	late := make(chan freerun.LateReport, 1)
	rt, _ := runtimetest.Start(t, freerun.FlightRecorder(1<<16), freerun.Watchdog(time.Millisecond, 0), freerun.DumpWhenLate(folder),
		freerun.OnLate(func(l freerun.LateReport) { late <- l }))
	g := runtimetest.NewGate()
	f := freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { g.Pass(); return 0, nil })
	<-late
	close(g.Opened)
	runtimetest.Must(t, f)
	files, err := filepath.Glob(filepath.Join(folder, "freerun-*.trace"))
	if err != nil || len(files) != 1 {
		t.Fatalf("one operation was late, and these were written: %v, %v", files, err)
	}
	file, err := os.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	tr, err := recording.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range tr.Messages()[1:] {
		if strings.Contains(tr.Operation(m.Operation), "TestDumpWhenLate") && m.Begin >= 0 && m.End < 0 {
			return
		}
	}
	t.Errorf("the operation that was late should run in the recording: %+v", tr.Messages())
}

// TestFlightErrors: the errors of a flight recorder that is not there or cannot be written.
func TestFlightErrors(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	if err := rt.DumpFlight(&bytes.Buffer{}); !errors.Is(err, freerun.ErrNoFlight) {
		t.Errorf("a runtime without flight recorder gives %v", err)
	}
	if _, err := freerun.DumpOn(rt, "x", os.Interrupt); !errors.Is(err, freerun.ErrNoFlight) {
		t.Errorf("a runtime without flight recorder gives %v", err)
	}
	recorded, _ := runtimetest.Start(t, freerun.FlightRecorder(1))
	if err := recorded.DumpFlightTo(filepath.Join(t.TempDir(), "none", "x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is not there gives %v", err)
	}
	full := errors.New("no room")
	if err := recorded.DumpFlight(failing{full}); !errors.Is(err, full) {
		t.Errorf("a writer that fails gives %v", err)
	}
}
