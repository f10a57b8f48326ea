package freerun_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// TestDeterministicContext: an activity cancels a context and so ends the waits of others, in an
// order that the seed decides.
func TestDeterministicContext(t *testing.T) {
	run := func(seed uint64) (order []int) {
		rt := runtimetest.Quiet(t, freerun.Deterministic(seed))
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		var never activity.Event
		for i := range 6 {
			activity.Go(rt, func(a *activity.Activity) {
				if err := never.Wait(ctx); !errors.Is(err, context.Canceled) {
					t.Errorf("came to %v", err)
				}
				order = append(order, i)
			})
		}
		activity.Go(rt, func(a *activity.Activity) {
			a.Sleep(time.Hour)
			cancel()
		})
		if err := rt.Shutdown(context.Background()); err != nil {
			t.Fatal(err)
		}
		return order
	}
	different := false
	for seed := range uint64(20) {
		again, once := run(seed), run(seed)
		if len(again) != 6 || !slices.Equal(again, once) {
			t.Errorf("seed %d: %v and %v", seed, again, once)
		}
		different = different || !slices.Equal(again, run(seed+1))
	}
	if !different {
		t.Error("all seeds give the same order")
	}
}

// TestDeterministicDeadline: a wait with a deadline is not stalled; the runtime waits for the
// deadline when there is nothing else to do.
func TestDeterministicDeadline(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Deterministic(1))
	var never activity.Event
	a := activity.Go(rt, func(a *activity.Activity) {
		long, cancel := context.WithTimeout(a, time.Hour)
		defer cancel()
		activity.Go(a, func(a *activity.Activity) { never.Wait(long) })
		ctx, cancel := context.WithTimeout(a, time.Millisecond)
		defer cancel()
		if err := never.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("came to %v", err)
		}
	})
	if err := rt.Shutdown(context.Background()); err != nil || !a.Ended() {
		t.Fatal(err)
	}
}

// TestDeterministicWait: an ordinary goroutine that waits for an activity runs it.
func TestDeterministicWait(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Deterministic(1))
	a := activity.Go(rt, func(a *activity.Activity) {
		a.Sleep(time.Hour)
		panic("at last")
	})
	var caught *freerun.PanicError
	if err := a.Wait(context.Background()); !errors.As(err, &caught) {
		t.Errorf("came to %v", err)
	}
	var never activity.Event
	ctx, cancel := context.WithCancel(context.Background())
	b := activity.Go(rt, func(*activity.Activity) { never.Wait(ctx) })
	if err := b.Wait(context.Background()); !errors.Is(err, freerun.ErrStalled) {
		t.Errorf("came to %v", err)
	}
	cancel()
	if err := b.Wait(context.Background()); err != nil {
		t.Errorf("came to %v", err)
	}
}
