package contracts_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// Contract 7: a panic or a Goexit fails the future of its message, is reported at once, and harms
// no other message.

func TestPanic(t *testing.T) {
	rt, j := runtimetest.Start(t, freerun.Processors(1))
	u := freerun.NewUnit(rt, 0)
	_, err := runtimetest.Panicking.Send(rt.Context(), u, "oh").Wait(runtimetest.Within(t))
	var p *freerun.PanicError
	if !errors.As(err, &p) || p.Value != "oh" || p.Operation != "runtimetest.panicking" {
		t.Fatalf("error %#v", err)
	}
	if !strings.Contains(string(p.Stack), "runtimetest/operations.go") {
		t.Errorf("the stack does not show where it panicked:\n%s", p.Stack)
	}
	boom := errors.New("boom")
	if _, err := runtimetest.Panicking.Send(rt.Context(), u, boom).Wait(runtimetest.Within(t)); !errors.Is(err, boom) {
		t.Errorf("a panic with an error: %v", err)
	}
	log := strings.Join(j.Texts(), "\n")
	if !strings.Contains(log, "ERROR") || !strings.Contains(log, "runtimetest.panicking") || !strings.Contains(log, "runtimetest/operations.go") {
		t.Errorf("not reported with name and stack: %q", log)
	}
	if v := runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), u, 1)); v != 3 {
		t.Errorf("the unit's state is %d after two panics and one operation", v)
	}
	if s := rt.Stats(); s.Panics != 2 || s.Sent != s.Done {
		t.Errorf("stats %+v", s)
	}
}

// TestPanicHarmsNoOther: with panics in between, all other messages are run, in order.
func TestPanicHarmsNoOther(t *testing.T) {
	const each = 300
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	u := freerun.NewUnit(rt, 0)
	for i := range each {
		runtimetest.Panicking.Tell(rt.Context(), u, i)
		freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { panic(i) })
		freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { runtime.Goexit(); return 0, nil })
		runtimetest.AddOne.Tell(rt.Context(), u, 1)
	}
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	if v := runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), u, 0)); v != 2*each {
		t.Errorf("the unit counted %d, want %d", v, 2*each)
	}
	if s := rt.Stats(); s.Panics != 3*each || s.Sent != s.Done {
		t.Errorf("stats %+v", s)
	}
}

func TestGoexit(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	u := freerun.NewUnit(rt, 0)
	quits := freerun.Do(rt.Context(), u, func(*freerun.Context, *int) (int, error) { runtime.Goexit(); return 1, nil })
	after := runtimetest.AddOne.Send(rt.Context(), u, 1)
	if _, err := quits.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrGoexit) {
		t.Errorf("Goexit: %v", err)
	}
	if v := runtimetest.Must(t, after); v != 1 {
		t.Errorf("the next operation: %d", v)
	}
	// The goroutine that took the processor over is recognised as its home.
	if v := runtimetest.Must(t, freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
		return freerun.Forward(c, runtimetest.Tick.Send(c, 1))
	})); v != 1 {
		t.Error(v)
	}
}

func TestPanicNamesAClosure(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	_, err := freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { panic(1) }).Wait(runtimetest.Within(t))
	if err == nil || !strings.Contains(err.Error(), "TestPanicNamesAClosure") {
		t.Errorf("error %v", err)
	}
}
