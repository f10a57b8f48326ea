package freerun_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/freeruntest"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// later returns a future that has its outcome after d.
func later(c *freerun.Context, d time.Duration, v int, err error) freerun.Future[int] {
	return freerun.Then(c, freerun.After(c, d), func(*freerun.Context, time.Time) (int, error) { return v, err })
}

// TestFirst has futures come in a random order, under 500 schedules: the outcome is that of the one
// that is due first, result or failure, and the scope ends when all have one.
func TestFirst(t *testing.T) {
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		random := freeruntest.Random(rt)
		s := rt.Scope(t.Context())
		due := random.Perm(5)
		var all []freerun.Future[int]
		for i, d := range due {
			err := errOutside
			if i%2 == 0 {
				err = nil
			}
			all = append(all, later(s.Context(), time.Duration(d+1)*time.Second, i, err))
		}
		ahead := freerun.First(s.Context(), all...)
		v, err := ahead.Wait(t.Context())
		for i, d := range due {
			if d == 0 && (i%2 == 0 && (v != i || err != nil) || i%2 == 1 && !errors.Is(err, errOutside)) {
				t.Errorf("future %d of %v came first, and First has %d, %v", i, due, v, err)
			}
		}
		if again, errAgain := ahead.Wait(t.Context()); again != v || errAgain != err {
			t.Errorf("%d, %v, and then %d, %v", v, err, again, errAgain)
		}
		s.Wait(t.Context())
	})
}

// TestFirstTogether has several operations end at about the same time: the outcome is that of one.
func TestFirstTogether(t *testing.T) {
	seen := map[int]bool{}
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		op := func(v int) freerun.Future[int] {
			return freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { return v, nil })
		}
		v, err := freerun.First(rt.Context(), op(1), op(2), op(3)).Wait(t.Context())
		if v < 1 || v > 3 || err != nil {
			t.Errorf("%d, %v", v, err)
		}
		seen[v] = true
	})
	if len(seen) < 2 {
		t.Errorf("always %v: the schedules do not differ", seen)
	}
}

// TestWithin has a future come before, about at, and after the end of its time.
func TestWithin(t *testing.T) {
	counts := [2]int{}
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		d := time.Duration(freeruntest.Random(rt).IntN(3)) * time.Second
		s, begun := rt.Scope(t.Context(), freerun.FailFast()), rt.Now()
		v, err := freerun.Within(s.Context(), later(rt.Context(), d, 7, nil), time.Second).Wait(t.Context())
		took := rt.Now().Sub(begun)
		switch {
		case err == nil && v == 7 && took == d && d <= time.Second:
			counts[0]++
		case errors.Is(err, context.DeadlineExceeded) && v == 0 && took == time.Second && d >= time.Second:
			counts[1]++
		default:
			t.Errorf("what comes after %v has after %v %d, %v", d, took, v, err)
		}
		if failed := s.Wait(t.Context()); (failed != nil) != (err != nil) || err != nil && !errors.Is(failed, err) {
			t.Errorf("the future has %v, and the scope %v", err, failed)
		}
	})
	if counts[0] == 0 || counts[1] == 0 {
		t.Errorf("in time and late: %v", counts)
	}
}

// TestWithinLeavesNothing holds that what comes in time leaves no timer that a scope waits for, and
// no failure.
func TestWithinLeavesNothing(t *testing.T) {
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		s, begun := rt.Scope(t.Context(), freerun.FailFast()), rt.Now()
		f := freerun.Within(s.Context(), freerun.Go(s.Context(), func(*freerun.Context) (int, error) { return 1, nil }), time.Hour)
		if v, err := f.Wait(t.Context()); v != 1 || err != nil {
			t.Errorf("%d, %v", v, err)
		}
		if err := s.Wait(t.Context()); err != nil || rt.Now() != begun || s.Context().Err() != nil {
			t.Errorf("after %v the scope has %v, %v", rt.Now().Sub(begun), err, s.Context().Err())
		}
	})
}

// TestWithinCanceled holds that the futures fail with their scope, before what they wait for.
func TestWithinCanceled(t *testing.T) {
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		s := rt.Scope(t.Context())
		open := later(rt.Context(), time.Hour, 1, nil)
		limited, ahead := freerun.Within(s.Context(), open, time.Minute), freerun.First(s.Context(), open)
		s.Cancel(errOutside)
		for _, f := range []freerun.Future[int]{limited, ahead, freerun.Within(s.Context(), open, time.Minute), freerun.First(s.Context(), open)} {
			if _, err := f.Wait(t.Context()); !errors.Is(err, freerun.ErrCanceled) || !errors.Is(err, errOutside) {
				t.Errorf("canceled: %v", err)
			}
		}
	})
}

func TestFirstAndWithinEnds(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	c := rt.Context()
	if _, err := freerun.First(c, freerun.Future[int]{}).Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrNoFuture) {
		t.Errorf("a zero Future has %v", err)
	}
	if _, err := freerun.Within(c, freerun.Future[int]{}, time.Hour).Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrNoFuture) {
		t.Errorf("a zero Future has %v", err)
	}
	inside := freerun.Go(c, func(c *freerun.Context) (int, error) {
		p := freerun.NewPromise[int](c) // nobody resolves it before the limit has passed
		freerun.Handle(c, freerun.Within(c, p.Future(), time.Microsecond), func(_ *freerun.Context, v int, err error) (bool, error) {
			return p.Resolve(5, nil), nil
		})
		return freerun.Forward(c, p.Future())
	})
	if v, err := inside.Wait(runtimetest.Within(t)); v != 5 || err != nil {
		t.Errorf("inside: %d, %v", v, err)
	}
	if err := errors.Join(rt.Quiesce(runtimetest.Within(t)), rt.Close()); err != nil {
		t.Error(err)
	}
	for _, f := range []freerun.Future[int]{freerun.First(c, freerun.Resolved(1)), freerun.Within(c, freerun.Resolved(1), time.Hour)} {
		if _, err := f.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrClosed) {
			t.Errorf("after the end: %v", err)
		}
	}
	defer func() {
		if got := recover(); got != "freerun: First of no futures" {
			t.Errorf("First of none panics with %v", got)
		}
	}()
	freerun.First[int](c)
}

// An operation asks two that know the same, and waits a second for an answer.
func ExampleWithin() {
	rt := freerun.New(freerun.Deterministic(1)) // the time is virtual
	defer rt.Close()
	near := freerun.Then(rt.Context(), freerun.After(rt.Context(), 300*time.Millisecond), func(*freerun.Context, time.Time) (string, error) {
		return "near", nil
	})
	far := freerun.Then(rt.Context(), freerun.After(rt.Context(), time.Minute), func(*freerun.Context, time.Time) (string, error) {
		return "far", nil
	})
	fmt.Println(freerun.Within(rt.Context(), freerun.First(rt.Context(), near, far), time.Second).Wait(context.Background()))
	_, err := freerun.Within(rt.Context(), far, time.Second).Wait(context.Background())
	fmt.Println(err)
	// Output:
	// near <nil>
	// freerun: no outcome within 1s: context deadline exceeded
}
