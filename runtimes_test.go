package freerun_test

import (
	"errors"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
)

// Futures of one runtime in messages of another.

func identity(_ *freerun.Context, v int) (int, error) { return v, nil }

// TestFailureAcrossRuntimes: what another runtime's failure does is counted where the message was sent.
func TestFailureAcrossRuntimes(t *testing.T) {
	a, _ := start(t, freerun.Processors(1))
	b, _ := start(t, freerun.Processors(1))
	boom := errors.New("boom")
	g := newGate()
	f := freerun.Go(a.Context(), func(*freerun.Context) (int, error) { g.pass(); return 0, boom })
	<-g.entered
	h := freerun.Then(b.Context(), f, identity)
	if err := addTwo.Tell(b.Context(), pair{f, f}); err != nil {
		t.Fatal(err)
	}
	close(g.opened)
	if _, err := h.Wait(within(t)); !errors.Is(err, boom) {
		t.Error(err)
	}
	for name, rt := range map[string]*freerun.Runtime{"a": a, "b": b} {
		if err := rt.Quiesce(within(t)); err != nil {
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

// TestEndOfTheOtherRuntime: who waits for a future of a runtime that ends gets its ErrClosed, whether sent before or after.
func TestEndOfTheOtherRuntime(t *testing.T) {
	a, _ := start(t, freerun.Processors(1))
	b, _ := start(t, freerun.Processors(1))
	g := newGate()
	defer close(g.opened)
	f := freerun.Go(a.Context(), func(*freerun.Context) (int, error) { g.pass(); return 0, nil })
	<-g.entered
	before := freerun.Then(b.Context(), f, identity)
	passed := freerun.Go(b.Context(), func(c *freerun.Context) (int, error) { return freerun.Forward(c, f) })
	must(t, tickOnce.Send(b.Context(), 1))
	if err := a.Close(); err == nil {
		t.Error("Close returned nil with an operation that does not return")
	}
	after := freerun.Then(b.Context(), f, identity)
	for name, h := range map[string]freerun.Future[int]{"before": before, "passed": passed, "after": after} {
		if _, err := h.Wait(within(t)); !errors.Is(err, freerun.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := b.Shutdown(within(t)); err != nil {
		t.Error(err)
	}
}

// TestShutdownWaitsForWhatWasForwarded: an operation that forwarded a future of another runtime is not done before that one is.
func TestShutdownWaitsForWhatWasForwarded(t *testing.T) {
	a, _ := start(t, freerun.Processors(1))
	b, _ := start(t, freerun.Processors(1))
	g := newGate()
	f := freerun.Go(a.Context(), func(*freerun.Context) (int, error) { g.pass(); return 5, nil })
	<-g.entered
	h := freerun.Go(b.Context(), func(c *freerun.Context) (int, error) { return freerun.Forward(c, f) })
	ended := make(chan error)
	go func() { ended <- b.Shutdown(within(t)) }()
	select {
	case err := <-ended:
		t.Errorf("Shutdown returned before the outcome was there: %v", err)
		close(g.opened)
		return
	case <-time.After(20 * time.Millisecond):
	}
	close(g.opened)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if v, err := h.Result(); v != 5 || err != nil {
		t.Errorf("%d, %v", v, err)
	}
}
