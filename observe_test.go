package freerun_test

import (
	"bytes"
	"errors"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
	"github.com/freerun-go/freerun/internal/simhost"
)

var observed = freerun.Op("observed", func(_ *freerun.Context, g **runtimetest.Gate, _ int) (int, error) {
	(*g).Pass()
	return 0, nil
})

// goroutines returns the goroutine profile, with labels.
func goroutines() string {
	var b bytes.Buffer
	pprof.Lookup("goroutine").WriteTo(&b, 1)
	return b.String()
}

func TestLabels(t *testing.T) {
	for _, on := range []bool{false, true} {
		options := []freerun.Option{freerun.Processors(2)}
		if on {
			options = append(options, freerun.Labels())
		}
		rt, _ := runtimetest.Start(t, options...)
		for range 2 { // the second time on a goroutine that may have the label already
			g := runtimetest.NewGate()
			f := observed.Send(rt.Context(), freerun.NewUnit(rt, g), 0)
			<-g.Entered
			if has := strings.Contains(goroutines(), `"`+freerun.Label+`":"freerun_test.observed"`); has != on {
				t.Errorf("with labels %v, the profile has the operation's name: %v", on, has)
			}
			close(g.Opened)
			runtimetest.Must(t, f)
		}
		g := runtimetest.NewGate()
		f := freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { g.Pass(); return 0, nil })
		<-g.Entered
		if has := strings.Contains(goroutines(), "TestLabels.func"); on && !has {
			t.Error("the profile does not name a closure")
		}
		close(g.Opened)
		runtimetest.Must(t, f)
	}
}

func TestTraceRegions(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	var b bytes.Buffer
	if err := trace.Start(&b); err != nil {
		t.Fatal(err)
	}
	g := runtimetest.NewGate()
	close(g.Opened)
	runtimetest.Must(t, observed.Send(rt.Context(), freerun.NewUnit(rt, g), 0))
	if _, err := runtimetest.Panicking.Send(rt.Context(), freerun.NewUnit(rt, 0), "oh").Wait(runtimetest.Within(t)); err == nil {
		t.Error("no panic")
	}
	runtimetest.Must(t, blocker.Send(rt.Context(), freerun.NewUnit(rt, 0), 1))
	trace.Stop()
	for _, name := range []string{"freerun_test.observed", "runtimetest.panicking", "freerun_test.blocker"} {
		if !bytes.Contains(b.Bytes(), []byte(name)) {
			t.Errorf("the trace does not name %s", name)
		}
	}
	runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), freerun.NewUnit(rt, 0), 1))
}

// TestWatchdog has operations on all processors that do not return. Each is reported once, and one
// more processor runs what is queued meanwhile.
func TestWatchdog(t *testing.T) {
	reports := make(chan freerun.LateReport, 10)
	rt, j := runtimetest.Start(t, freerun.Processors(2), freerun.Watchdog(5*time.Millisecond, 1), freerun.OnLate(func(l freerun.LateReport) { reports <- l }))
	gates := []*runtimetest.Gate{runtimetest.NewGate(), runtimetest.NewGate()}
	first := observed.Send(rt.Context(), freerun.NewUnit(rt, gates[0], freerun.UnitName("ada")), 0)
	second := freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { gates[1].Pass(); return 0, nil })
	// A third processor runs this.
	runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), freerun.NewUnit(rt, 0), 1))
	told := map[string]freerun.LateReport{}
	for range 2 {
		l := <-reports
		told[l.Unit] = l
	}
	if l := told["ada"]; l.Operation != "freerun_test.observed" || !strings.Contains(string(l.Stack), "observe_test.go") || l.Been < 5*time.Millisecond {
		t.Errorf("the unit's operation was reported as %+v", l)
	}
	if l := told[""]; !strings.Contains(l.Operation, "TestWatchdog.func") {
		t.Errorf("the free operation was reported as %+v", l)
	}
	for _, g := range gates {
		close(g.Opened)
	}
	runtimetest.Must(t, first)
	runtimetest.Must(t, second)
	for rt.Processors() != 2 { // the processor that was added goes
		runtimetest.AddOne.Send(rt.Context(), freerun.NewUnit(rt, 0), 1).Wait(runtimetest.Within(t))
	}
	if text := strings.Join(j.Texts(), "\n"); strings.Count(text, "operation does not return") != 2 || !strings.Contains(text, "unit=ada") {
		t.Errorf("the log has %s", text)
	}
}

// TestResize changes the number of processors under load, from outside and inside, and loses
// nothing.
func TestResize(t *testing.T) {
	const each = 20_000
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	units := []*freerun.Unit[int]{}
	for range 20 {
		units = append(units, freerun.NewUnit(rt, 0))
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range each {
			runtimetest.AddOne.Tell(rt.Context(), units[i%len(units)], 1)
		}
	}()
	for n := range 200 {
		rt.Resize(1 + n%5)
		if got := rt.Processors(); got != 1+n%5 {
			t.Errorf("%d processors after a Resize to %d", got, 1+n%5)
		}
		runtime.Gosched()
	}
	<-done
	runtimetest.Must(t, freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) { c.Runtime().Resize(3); return 0, nil }))
	sum := 0
	for _, u := range units {
		sum += runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), u, 0))
	}
	if sum != each || rt.Processors() != 3 {
		t.Errorf("%d of %d messages were run; %d processors", sum, each, rt.Processors())
	}
	if err := rt.Shutdown(runtimetest.Within(t)); err != nil {
		t.Error(err)
	}
	rt.Resize(2)
	if s := rt.Stats(); s.Sent != s.Done || len(s.Processors) != 5 {
		t.Errorf("stats %+v", s)
	}
}

// TestResizeRunsMore: a processor that is added runs what is queued while all others are held up.
func TestResizeRunsMore(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	g := runtimetest.NewGate()
	held := observed.Send(rt.Context(), freerun.NewUnit(rt, g), 0)
	<-g.Entered
	next := runtimetest.AddOne.Send(rt.Context(), freerun.NewUnit(rt, 0), 1)
	if _, err := next.Result(); !errors.Is(err, freerun.ErrWouldBlock) {
		t.Errorf("without a processor: %v", err)
	}
	rt.Resize(2)
	runtimetest.Must(t, next)
	close(g.Opened)
	runtimetest.Must(t, held)
}

// TestResizeDeterministic: in a deterministic runtime a Resize is a step like others. Two runs
// under one schedule are the same.
func TestResizeDeterministic(t *testing.T) {
	play := func() []string {
		r := newRecorded(4)
		rt, _ := runtimetest.Start(t, simhost.Option[freerun.Option](r), freerun.Processors(1))
		for n := range 30 {
			rt.Resize(1 + n%4)
			for range 10 {
				freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { return 0, nil })
			}
			runtimetest.Must(t, freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { return n, nil }))
		}
		if err := rt.Shutdown(runtimetest.Within(t)); err != nil {
			t.Error(err)
		}
		return r.log
	}
	a, b := play(), play()
	if strings.Join(a, ",") != strings.Join(b, ",") || !strings.Contains(strings.Join(a, ","), "3") {
		t.Errorf("two runs differ: %d and %d steps", len(a), len(b))
	}
}
