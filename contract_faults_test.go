package freerun_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/freerun-go/freerun"
)

// Contract 7: a panic, or a Goexit, fails that future, is reported at once, and harms nothing else.

var panicking = freerun.Op("test.panicking", func(_ *freerun.Context, n *int, value any) (int, error) {
	*n++
	panic(value)
})

func TestPanic(t *testing.T) {
	rt, j := start(t, freerun.Processors(1))
	u := freerun.NewUnit(rt, 0)
	_, err := panicking.Send(rt.Context(), u, "oh").Wait(within(t))
	var p *freerun.PanicError
	if !errors.As(err, &p) || p.Value != "oh" || p.Operation != "test.panicking" {
		t.Fatalf("error %#v", err)
	}
	if !strings.Contains(string(p.Stack), "contract_faults_test.go") {
		t.Errorf("the stack does not show where it panicked:\n%s", p.Stack)
	}
	boom := errors.New("boom")
	if _, err := panicking.Send(rt.Context(), u, boom).Wait(within(t)); !errors.Is(err, boom) {
		t.Errorf("a panic with an error: %v", err)
	}
	log := strings.Join(j.texts(), "\n")
	if !strings.Contains(log, "ERROR") || !strings.Contains(log, "test.panicking") || !strings.Contains(log, "contract_faults_test.go") {
		t.Errorf("not reported with name and stack: %q", log)
	}
	if v := must(t, addOne.Send(rt.Context(), u, 1)); v != 3 {
		t.Errorf("the unit's state is %d after two panics and one operation", v)
	}
	if s := rt.Stats(); s.Panics != 2 || s.Sent != s.Done {
		t.Errorf("stats %+v", s)
	}
}

// TestPanicHarmsNoOther: with panics in between, all other messages are run, in order.
func TestPanicHarmsNoOther(t *testing.T) {
	const each = 300
	rt, _ := start(t, freerun.Processors(2))
	u := freerun.NewUnit(rt, 0)
	for i := range each {
		panicking.Tell(rt.Context(), u, i)
		freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { panic(i) })
		freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { runtime.Goexit(); return 0, nil })
		addOne.Tell(rt.Context(), u, 1)
	}
	if err := rt.Quiesce(within(t)); err != nil {
		t.Fatal(err)
	}
	if v := must(t, addOne.Send(rt.Context(), u, 0)); v != 2*each {
		t.Errorf("the unit counted %d, want %d", v, 2*each)
	}
	if s := rt.Stats(); s.Panics != 3*each || s.Sent != s.Done {
		t.Errorf("stats %+v", s)
	}
}

func TestGoexit(t *testing.T) {
	rt, _ := start(t, freerun.Processors(1))
	u := freerun.NewUnit(rt, 0)
	quits := freerun.Do(rt.Context(), u, func(*freerun.Context, *int) (int, error) { runtime.Goexit(); return 1, nil })
	after := addOne.Send(rt.Context(), u, 1)
	if _, err := quits.Wait(within(t)); !errors.Is(err, freerun.ErrGoexit) {
		t.Errorf("Goexit: %v", err)
	}
	if v := must(t, after); v != 1 {
		t.Errorf("the next operation: %d", v)
	}
	// The goroutine that took over is recognised as the processor.
	if v := must(t, freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
		return freerun.Forward(c, tickOnce.Send(c, 1))
	})); v != 1 {
		t.Error(v)
	}
}

func TestPanicNamesAClosure(t *testing.T) {
	rt, _ := start(t)
	_, err := freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { panic(1) }).Wait(within(t))
	if err == nil || !strings.Contains(err.Error(), "TestPanicNamesAClosure") {
		t.Errorf("error %v", err)
	}
}
