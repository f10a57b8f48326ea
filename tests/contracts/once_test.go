package contracts_test

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// Contract 3: a message is run once, or its future fails with a named error. No message is lost.

// TestOnceUnderClose closes the runtime in the middle of a flood. Each message was run, failed with
// ErrClosed, or was refused with ErrClosed, and the sums agree.
func TestOnceUnderClose(t *testing.T) {
	const senders, each = 4, 2000
	for round := range 10 {
		rt, _ := runtimetest.Start(t, freerun.Processors(2))
		before := runtimetest.Ticks.Load()
		var okay, closed atomic.Int64
		var wg sync.WaitGroup
		for s := range senders {
			wg.Go(func() {
				for i := range each {
					v, err := runtimetest.Tick.Send(rt.Context(), i).Wait(runtimetest.Within(t))
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
		if okay.Load()+closed.Load() != senders*each || okay.Load() != runtimetest.Ticks.Load()-before {
			t.Fatalf("%d sent, %d run, %d results, %d closed", senders*each, runtimetest.Ticks.Load()-before, okay.Load(), closed.Load())
		}
	}
}

func TestFailuresWithoutFutureAreCountedAndLogged(t *testing.T) {
	rt, j := runtimetest.Start(t)
	u := freerun.NewUnit(rt, 0)
	boom := errors.New("boom")
	for range 3 {
		if err := runtimetest.FailWith.Tell(rt.Context(), u, boom); err != nil {
			t.Fatal(err)
		}
	}
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	if lost := rt.Stats().Lost; lost != 3 {
		t.Errorf("%d failures counted, want 3", lost)
	}
	log := strings.Join(j.Texts(), "\n")
	if !strings.Contains(log, "runtimetest.failWith") || !strings.Contains(log, "boom") {
		t.Errorf("log does not name operation and error: %q", log)
	}
}

func TestTellRefused(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	u := freerun.NewUnit(rt, 0)
	rt.Close()
	if err := runtimetest.FailWith.Tell(rt.Context(), u, nil); !errors.Is(err, freerun.ErrClosed) {
		t.Errorf("Tell after Close: %v", err)
	}
	if err := runtimetest.Tick.Tell(rt.Context(), 1); !errors.Is(err, freerun.ErrClosed) {
		t.Errorf("Tell of a free operation after Close: %v", err)
	}
	if _, err := runtimetest.FailWith.Send(rt.Context(), u, nil).Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrClosed) {
		t.Errorf("Send after Close: %v", err)
	}
	if _, err := freerun.Do(rt.Context(), u, func(*freerun.Context, *int) (int, error) { return 1, nil }).Result(); !errors.Is(err, freerun.ErrClosed) {
		t.Errorf("Do after Close: %v", err)
	}
}

func TestOtherRuntime(t *testing.T) {
	a, _ := runtimetest.Start(t)
	b, _ := runtimetest.Start(t)
	u := freerun.NewUnit(b, 0)
	if err := runtimetest.FailWith.Tell(a.Context(), u, nil); !errors.Is(err, freerun.ErrOtherRuntime) {
		t.Errorf("Tell to a unit of another runtime: %v", err)
	}
	if _, err := runtimetest.FailWith.Send(a.Context(), u, nil).Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrOtherRuntime) {
		t.Errorf("Send to a unit of another runtime: %v", err)
	}
}

// TestFutureOfAnotherRuntime passes a future of one runtime to an operation of another, which waits
// for it as for its own.
func TestFutureOfAnotherRuntime(t *testing.T) {
	a, _ := runtimetest.Start(t)
	b, _ := runtimetest.Start(t)
	g := runtimetest.NewGate()
	f := freerun.Go(a.Context(), func(*freerun.Context) (int, error) { g.Pass(); return 20, nil })
	<-g.Entered
	sum := runtimetest.AddTwo.Send(b.Context(), runtimetest.Pair{X: f, Y: freerun.Resolved(1)})
	close(g.Opened)
	if v := runtimetest.Must(t, sum); v != 21 {
		t.Errorf("sum is %d", v)
	}
	if err := b.Quiesce(runtimetest.Within(t)); err != nil {
		t.Error(err)
	}
}
