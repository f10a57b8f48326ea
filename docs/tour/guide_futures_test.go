package tour_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/freerun-go/freerun"
)

//tour:begin within
var errLate = errors.New("too late")

var alarm = freerun.FreeOp("alarm", func(*freerun.Context, struct{}) (struct{}, error) { return struct{}{}, nil })

// within has the outcome of f if that comes within d, and otherwise fails.
func within[R any](c *freerun.Context, f freerun.Future[R], d time.Duration) freerun.Future[R] {
	p := freerun.NewPromise[R](c)
	rings, timer := alarm.SendAfter(c, d, struct{}{})
	freerun.Handle(c, f, func(_ *freerun.Context, v R, err error) (bool, error) {
		defer timer.Stop()
		return p.Resolve(v, err), nil
	})
	freerun.Handle(c, rings, func(*freerun.Context, struct{}, error) (bool, error) {
		return p.Resolve(*new(R), errLate), nil // does nothing if f was there before
	})
	return p.Future()
}

//tour:end

//tour:begin first

// first has the first outcome of several futures.
func first[R any](c *freerun.Context, several ...freerun.Future[R]) freerun.Future[R] {
	p := freerun.NewPromise[R](c)
	for _, f := range several {
		freerun.Handle(c, f, func(_ *freerun.Context, v R, err error) (bool, error) { return p.Resolve(v, err), nil })
	}
	return p.Future()
}

//tour:end

//tour:begin retry

// retry tries until it works, n times at most. Between two tries it waits, twice as long each time.
func retry[R any](c *freerun.Context, n int, wait time.Duration, try func(*freerun.Context) freerun.Future[R]) freerun.Future[R] {
	return freerun.Handle(c, try(c), func(c *freerun.Context, v R, err error) (R, error) {
		if err == nil || n == 1 {
			return v, err
		}
		again := freerun.Then(c, freerun.After(c, wait), func(c *freerun.Context, _ time.Time) (R, error) {
			return freerun.Forward(c, retry(c, n-1, 2*wait, try))
		})
		return freerun.Forward(c, again)
	})
}

//tour:end

func Example_within() {
	ctx := context.Background()
	rt := freerun.New(freerun.Deterministic(1)) // the time is virtual
	defer rt.Close()
	//tour:begin within-used
	slow := freerun.Then(rt.Context(), freerun.After(rt.Context(), time.Hour), func(*freerun.Context, time.Time) (string, error) {
		return "slow", nil
	})
	quick := freerun.Resolved("quick")
	fmt.Println(within(rt.Context(), quick, time.Second).Wait(ctx))
	fmt.Println(within(rt.Context(), slow, time.Second).Wait(ctx))
	fmt.Println(first(rt.Context(), slow, quick).Wait(ctx))
	// Output:
	// quick <nil>
	//  too late
	// quick <nil>
	//tour:end
}

func Example_retry() {
	ctx := context.Background()
	rt := freerun.New(freerun.Deterministic(1))
	defer rt.Close()
	//tour:begin retry-used
	begun, tries := rt.Now(), 0
	f := retry(rt.Context(), 5, 100*time.Millisecond, func(c *freerun.Context) freerun.Future[int] {
		if tries++; tries < 4 {
			return freerun.Failed[int](errors.New("not yet"))
		}
		return freerun.Resolved(tries)
	})
	fmt.Println(f.Wait(ctx))
	fmt.Println(rt.Now().Sub(begun))
	// Output:
	// 4 <nil>
	// 700ms
	//tour:end
}

// What comes in time leaves neither a failure in its scope nor a timer that it waits for.
func Example_withinScope() {
	ctx := context.Background()
	rt := freerun.New(freerun.Deterministic(1))
	defer rt.Close()
	s, begun := rt.Scope(ctx, freerun.FailFast()), rt.Now()
	f := within(s.Context(), freerun.Go(s.Context(), func(*freerun.Context) (int, error) { return 1, nil }), time.Hour)
	fmt.Println(f.Wait(ctx))
	fmt.Println(s.Wait(ctx), rt.Now().Sub(begun), context.Cause(s.Context()))
	// Output:
	// 1 <nil>
	// <nil> 0s <nil>
}
