package tour_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/freerun-go/freerun"
)

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

//tour:begin asked
var ask = freerun.FreeOp("ask", func(c *freerun.Context, d time.Duration) (time.Time, error) {
	return freerun.Forward(c, freerun.After(c, d)) // stands for somebody who takes that long
})

//tour:end

func Example_within() {
	ctx := context.Background()
	rt := freerun.New(freerun.Deterministic(1)) // the time is virtual
	defer rt.Close()
	//tour:begin within
	answer := freerun.Go(rt.Context(), func(c *freerun.Context) (string, error) {
		quick := freerun.First(c, ask.Send(c, time.Hour), ask.Send(c, time.Minute))
		return freerun.Forward(c, freerun.Handle(c, freerun.Within(c, quick, time.Second),
			func(_ *freerun.Context, _ time.Time, err error) (string, error) {
				if errors.Is(err, context.DeadlineExceeded) {
					return "nobody has answered", nil
				}
				return "somebody has answered", err
			}))
	})
	fmt.Println(answer.Wait(ctx))
	// Output: nobody has answered <nil>
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
