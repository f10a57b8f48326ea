package turn_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/turn"
)

// TestTurn holds that functions are called one at a time, those of one goroutine in their order,
// and that none is called when the runtime has ended.
func TestTurn(t *testing.T) {
	rt := freerun.New()
	w := turn.New(rt)
	const goroutines, each = 8, 1000
	var got [goroutines][]int // without a lock: the race detector sees two at once
	var ended sync.WaitGroup
	for g := range goroutines {
		ended.Go(func() {
			for i := range each {
				w.Run(func() { got[g] = append(got[g], i) })
			}
		})
	}
	ended.Wait()
	done := make(chan struct{})
	w.After(time.Millisecond, func() { close(done) })
	<-done
	if err := rt.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	for g, all := range got {
		if len(all) != each || !slices.IsSorted(all) {
			t.Errorf("goroutine %d: %d calls, in order: %v", g, len(all), slices.IsSorted(all))
		}
	}
	w.Run(func() { t.Error("it is called, and the runtime has ended") })
	w.After(0, func() { t.Error("it is called later, and the runtime has ended") })
}

// TestTurnDrains holds that a step that comes while the runtime drains runs.
func TestTurnDrains(t *testing.T) {
	rt := freerun.New()
	w := turn.New(rt)
	ran := freerun.NewPromise[int](rt.Context()) // Shutdown waits for it
	ended := make(chan error)
	go func() { ended <- rt.Shutdown(context.Background()) }()
	<-rt.Draining()
	w.Run(func() { ran.Resolve(1, nil) })
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := ran.Future().Wait(context.Background()); err != nil {
		t.Error(err)
	}
}

// TestInline holds that a caller of Inline runs its step at once, and not for ever what others add;
// and that what it leaves runs all the same, in order, also when the runtime has ended.
func TestInline(t *testing.T) {
	for _, ended := range []bool{false, true} {
		rt := freerun.New()
		w := turn.New(rt)
		if ended {
			if err := rt.Shutdown(context.Background()); err != nil {
				t.Error(err)
			}
		}
		const steps = 10_000
		var got []int
		done, returned := make(chan struct{}), make(chan struct{})
		var more func(i int) func()
		more = func(i int) func() {
			return func() {
				got = append(got, i)
				switch {
				case i == steps:
					close(done)
					return
				case i == steps/2 && !ended:
					<-returned
				}
				w.Run(more(i + 1))
			}
		}
		here := 0
		w.Inline(func() {
			more(0)()
			here = len(got)
		})
		close(returned)
		<-done
		if len(got) != steps+1 || !slices.IsSorted(got) || here != 1 {
			t.Errorf("the runtime has ended: %v: %d steps, in order: %v", ended, len(got), slices.IsSorted(got))
		}
		if !ended {
			if err := rt.Shutdown(context.Background()); err != nil {
				t.Error(err)
			}
		}
	}
}
