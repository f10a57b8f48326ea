package freerun_test

import (
	"errors"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// Futures of one runtime in messages of another.

func identity(_ *freerun.Context, v int) (int, error) { return v, nil }

// TestFailureAcrossRuntimes: messages that fail with a future of another runtime count as failed in
// their own runtime, not in the other one.
func TestFailureAcrossRuntimes(t *testing.T) {
	a, _ := runtimetest.Start(t, freerun.Processors(1))
	b, _ := runtimetest.Start(t, freerun.Processors(1))
	boom := errors.New("boom")
	g := runtimetest.NewGate()
	f := freerun.Go(a.Context(), func(*freerun.Context) (int, error) { g.Pass(); return 0, boom })
	<-g.Entered
	h := freerun.Then(b.Context(), f, identity)
	if err := runtimetest.AddTwo.Tell(b.Context(), runtimetest.Pair{X: f, Y: f}); err != nil {
		t.Fatal(err)
	}
	close(g.Opened)
	if _, err := h.Wait(runtimetest.Within(t)); !errors.Is(err, boom) {
		t.Error(err)
	}
	for name, rt := range map[string]*freerun.Runtime{"a": a, "b": b} {
		if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
			t.Errorf("%s does not come to rest: %v", name, err)
		}
	}
	if s := b.Stats(); s.Sent != 2 || s.Done != 2 || s.Failed != 2 || s.Lost != 1 {
		t.Errorf("stats %+v", s)
	}
	if s := a.Stats(); s.Sent != 1 || s.Done != 1 || s.Failed != 0 {
		t.Errorf("stats of the other %+v", s)
	}
}

// TestEndOfTheOtherRuntime: a message that waits for a future of another runtime fails with
// ErrClosed when that runtime ends, whether the message was sent before the end or after it.
func TestEndOfTheOtherRuntime(t *testing.T) {
	a, _ := runtimetest.Start(t, freerun.Processors(1))
	b, _ := runtimetest.Start(t, freerun.Processors(1))
	g := runtimetest.NewGate()
	defer close(g.Opened)
	f := freerun.Go(a.Context(), func(*freerun.Context) (int, error) { g.Pass(); return 0, nil })
	<-g.Entered
	before := freerun.Then(b.Context(), f, identity)
	passed := freerun.Go(b.Context(), func(c *freerun.Context) (int, error) { return freerun.Forward(c, f) })
	runtimetest.Must(t, runtimetest.Tick.Send(b.Context(), 1))
	if err := a.Close(); err == nil {
		t.Error("Close returned nil with an operation that does not return")
	}
	after := freerun.Then(b.Context(), f, identity)
	for name, h := range map[string]freerun.Future[int]{"before": before, "passed": passed, "after": after} {
		if _, err := h.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := b.Shutdown(runtimetest.Within(t)); err != nil {
		t.Error(err)
	}
}

// TestShutdownWaitsForWhatWasForwarded: an operation that has forwarded a future of another runtime
// is not done before that future has its outcome.
func TestShutdownWaitsForWhatWasForwarded(t *testing.T) {
	a, _ := runtimetest.Start(t, freerun.Processors(1))
	b, _ := runtimetest.Start(t, freerun.Processors(1))
	g := runtimetest.NewGate()
	f := freerun.Go(a.Context(), func(*freerun.Context) (int, error) { g.Pass(); return 5, nil })
	<-g.Entered
	h := freerun.Go(b.Context(), func(c *freerun.Context) (int, error) { return freerun.Forward(c, f) })
	ended := make(chan error)
	go func() { ended <- b.Shutdown(runtimetest.Within(t)) }()
	select {
	case err := <-ended:
		t.Errorf("Shutdown returned before the outcome was there: %v", err)
		close(g.Opened)
		return
	case <-time.After(20 * time.Millisecond):
	}
	close(g.Opened)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if v, err := h.Result(); v != 5 || err != nil {
		t.Errorf("%d, %v", v, err)
	}
}
