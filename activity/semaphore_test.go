package activity_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun/activity"
)

// TestSemaphoreKeepsItsLimit has activities and goroutines acquire several units at once, and give
// up now and then: there are never more units held than the semaphore has.
func TestSemaphoreKeepsItsLimit(t *testing.T) {
	onProcessors(t, func(t *testing.T, processors int) {
		const size = 5
		s := activity.NewSemaphore(size)
		var held, most atomic.Int64
		crew(t, processors, 12, func(ctx context.Context, _ int, r *rand.Rand) {
			for range 300 {
				n := r.IntN(size + 1)
				switch r.IntN(3) {
				case 0:
					hurried, cancel := impatience(ctx, r)
					err := s.Acquire(hurried, n)
					cancel()
					if err != nil {
						continue
					}
				case 1:
					if !s.TryAcquire(n) {
						continue
					}
				default:
					if err := s.Acquire(ctx, n); err != nil {
						t.Error(err)
						return
					}
				}
				now := held.Add(int64(n))
				if now > size {
					t.Errorf("%d are held", now)
				}
				for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
				}
				if r.IntN(2) == 0 {
					pause(ctx)
				}
				held.Add(-int64(n))
				s.Release(n)
			}
		})
		if !activity.Unused(s) || !s.TryAcquire(size) {
			t.Error("not all units are free in the end")
		}
		t.Logf("at most %d were held", most.Load())
	})
}

// TestSemaphoreInOrder has a waiter that wants three units, and behind it a waiter that wants one,
// for which there is a unit: neither is overtaken. When the first gives up, the second gets its
// unit. Then a waiter for two units is not overtaken either.
func TestSemaphoreInOrder(t *testing.T) {
	sched := started(t, 2)
	s := activity.NewSemaphore(3)
	s.Acquire(t.Context(), 2)
	hurried, hurry := context.WithCancel(t.Context())
	var got []int
	want := func(ctx context.Context, n int) *activity.Activity {
		return activity.Go(activity.On(sched), func(a *activity.Activity) {
			if ctx == nil {
				ctx = a
			}
			if s.Acquire(ctx, n) == nil {
				got = append(got, n)
			}
		})
	}
	many := want(hurried, 3)
	until(t, func() bool { return activity.Waits(s) == 1 })
	few := want(nil, 1)
	until(t, func() bool { return activity.Waits(s) == 2 })
	if s.TryAcquire(1) || len(got) != 0 {
		t.Errorf("overtaken: %v", got)
	}
	hurry()
	if err := many.Wait(within(t)); err != nil {
		t.Error(err)
	}
	if err := few.Wait(within(t)); err != nil || !slices.Equal(got, []int{1}) {
		t.Errorf("got %v, %v", got, err)
	}
	two := want(nil, 2)
	until(t, func() bool { return activity.Waits(s) == 1 })
	s.Release(1)
	if s.TryAcquire(1) {
		t.Error("overtaken")
	}
	s.Release(1)
	if err := two.Wait(within(t)); err != nil || !slices.Equal(got, []int{1, 2}) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestSemaphoreMisuse(t *testing.T) {
	s := activity.NewSemaphore(3)
	s.Acquire(t.Context(), 1)
	for text, misuse := range map[string]func(){
		"activity: NewSemaphore(0)":                                           func() { activity.NewSemaphore(0) },
		"activity: Acquire(4) of a Semaphore with 3 permits":                  func() { s.Acquire(t.Context(), 4) },
		"activity: TryAcquire(-1) of a Semaphore with 3 permits":              func() { s.TryAcquire(-1) },
		"activity: Release(2) of a Semaphore of which fewer permits are held": func() { s.Release(2) },
	} {
		if got := panics(misuse); !strings.HasPrefix(got, text) {
			t.Errorf("panicked with %q, want %q", got, text)
		}
	}
	s.Release(1)
	if !s.TryAcquire(3) || s.TryAcquire(1) || !s.TryAcquire(0) {
		t.Error("not as it was")
	}
}
