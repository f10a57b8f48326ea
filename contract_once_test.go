package freerun_test

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun"
)

// Contract 3: a message is run once, or its future fails with a named error; nothing is lost.

var ran atomic.Int64

var tickOnce = freerun.FreeOp("test.tick", func(*freerun.Context, int) (int, error) {
	ran.Add(1)
	return 1, nil
})

// TestOnceUnderClose closes the runtime in the middle of a flood: each message was run, or failed with ErrClosed, or was
// refused with it, and the sums agree.
func TestOnceUnderClose(t *testing.T) {
	const senders, each = 4, 2000
	for round := range 10 {
		rt, _ := start(t, freerun.Processors(2))
		before := ran.Load()
		var okay, closed atomic.Int64
		var wg sync.WaitGroup
		for s := range senders {
			wg.Go(func() {
				for i := range each {
					v, err := tickOnce.Send(rt.Context(), i).Wait(within(t))
					switch {
					case err == nil && v == 1:
						okay.Add(1)
					case errors.Is(err, freerun.ErrClosed):
						closed.Add(1)
					default:
						t.Errorf("outcome %v, %v", v, err)
					}
					if s == 0 && i == 50*(round+1) {
						go rt.Close()
					}
				}
			})
		}
		wg.Wait()
		rt.Close()
		if okay.Load()+closed.Load() != senders*each || okay.Load() != ran.Load()-before {
			t.Fatalf("%d sent, %d run, %d results, %d closed", senders*each, ran.Load()-before, okay.Load(), closed.Load())
		}
	}
}

func TestFailuresWithoutFutureAreCountedAndLogged(t *testing.T) {
	rt, j := start(t)
	u := freerun.NewUnit(rt, 0)
	boom := errors.New("boom")
	for range 3 {
		if err := failWith.Tell(rt.Context(), u, boom); err != nil {
			t.Fatal(err)
		}
	}
	if err := rt.Quiesce(within(t)); err != nil {
		t.Fatal(err)
	}
	if lost := rt.Stats().Lost; lost != 3 {
		t.Errorf("%d failures counted, want 3", lost)
	}
	log := strings.Join(j.texts(), "\n")
	if !strings.Contains(log, "test.failWith") || !strings.Contains(log, "boom") {
		t.Errorf("log does not name operation and error: %q", log)
	}
}

var failWith = freerun.Op("test.failWith", func(_ *freerun.Context, _ *int, err error) (int, error) { return 0, err })

func TestTellRefused(t *testing.T) {
	rt, _ := start(t)
	u := freerun.NewUnit(rt, 0)
	rt.Close()
	if err := failWith.Tell(rt.Context(), u, nil); !errors.Is(err, freerun.ErrClosed) {
		t.Errorf("Tell after Close: %v", err)
	}
	if err := tickOnce.Tell(rt.Context(), 1); !errors.Is(err, freerun.ErrClosed) {
		t.Errorf("Tell of a free operation after Close: %v", err)
	}
	if _, err := failWith.Send(rt.Context(), u, nil).Wait(within(t)); !errors.Is(err, freerun.ErrClosed) {
		t.Errorf("Send after Close: %v", err)
	}
	if _, err := freerun.Do(rt.Context(), u, func(*freerun.Context, *int) (int, error) { return 1, nil }).Result(); !errors.Is(err, freerun.ErrClosed) {
		t.Errorf("Do after Close: %v", err)
	}
}

func TestOtherRuntime(t *testing.T) {
	a, _ := start(t)
	b, _ := start(t)
	u := freerun.NewUnit(b, 0)
	if err := failWith.Tell(a.Context(), u, nil); !errors.Is(err, freerun.ErrOtherRuntime) {
		t.Errorf("Tell to a unit of another runtime: %v", err)
	}
	if _, err := failWith.Send(a.Context(), u, nil).Wait(within(t)); !errors.Is(err, freerun.ErrOtherRuntime) {
		t.Errorf("Send to a unit of another runtime: %v", err)
	}
}

// TestFutureOfAnotherRuntime passes a future from one runtime to an operation of another: it is waited for like any.
func TestFutureOfAnotherRuntime(t *testing.T) {
	a, _ := start(t)
	b, _ := start(t)
	g := newGate()
	f := freerun.Go(a.Context(), func(*freerun.Context) (int, error) { g.pass(); return 20, nil })
	<-g.entered
	sum := addTwo.Send(b.Context(), pair{f, freerun.Resolved(1)})
	close(g.opened)
	if v := must(t, sum); v != 21 {
		t.Errorf("sum is %d", v)
	}
	if err := b.Quiesce(within(t)); err != nil {
		t.Error(err)
	}
}

type pair struct{ X, Y freerun.Future[int] }

var addTwo = freerun.FreeOp("test.addTwo", func(_ *freerun.Context, p pair) (int, error) { return p.X.Value() + p.Y.Value(), nil })
