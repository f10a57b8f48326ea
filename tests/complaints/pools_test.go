package complaints_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// The complaints of users of pools. complaints_test.go lists all complaints.

// TestComplaintNestedSubmitAndWait, ants#197, pond#56 and #52: tasks that submit tasks and wait for
// them use up a pool. Here such tasks nest in all forms that there are, each in all others, also on
// a single processor.
func TestComplaintNestedSubmitAndWait(t *testing.T) {
	const deep = 6
	leaves := 1
	for range deep {
		leaves *= 6
	}
	runtimetest.OnSome(t, func(t *testing.T, processors int) {
		rt, _ := runtimetest.Start(t, freerun.Processors(processors))
		u := freerun.NewUnit(rt, 0)
		// count waits for its tasks by functions that return when they are done, submit by futures.
		var count func(c *freerun.Context, left int) int
		var submit func(c *freerun.Context, left int) (freerun.Future[int], error)
		count = func(c *freerun.Context, left int) int {
			if left == 0 {
				return 1
			}
			x, y := freerun.Join(c,
				func(c *freerun.Context) (n int) {
					var sum atomic.Int64
					freerun.For(c, 3, func(c *freerun.Context, _ int) { sum.Add(int64(count(c, left-1))) })
					return int(sum.Load())
				},
				func(c *freerun.Context) int {
					return freerun.Reduce(c, 3, func(c *freerun.Context, _ int) int { return count(c, left-1) }, func(a, b int) int { return a + b })
				})
			return x + y
		}
		submit = func(c *freerun.Context, left int) (freerun.Future[int], error) {
			if left == deep/2 {
				return freerun.Resolved(count(c, left)), nil
			}
			all := make([]freerun.Future[int], 0, 6)
			for i := range cap(all) {
				next := func(c *freerun.Context) (int, error) {
					f, err := submit(c, left-1)
					if err != nil {
						return 0, err
					}
					return freerun.Forward(c, f)
				}
				if i%2 == 0 {
					all = append(all, freerun.Go(c, next))
				} else { // all of these on one unit, which none of them keeps busy while it waits
					all = append(all, freerun.Do(c, u, func(c *freerun.Context, _ *int) (int, error) { return next(c) }))
				}
			}
			return freerun.Then(c, runtimetest.SumWide.Send(c, runtimetest.Wide{All: all}), func(_ *freerun.Context, n int) (int, error) { return n, nil }), nil
		}
		f, err := submit(rt.Context(), deep)
		if err != nil {
			t.Fatal(err)
		}
		if n := runtimetest.Must(t, f); n != leaves {
			t.Errorf("%d leaves of %d", n, leaves)
		}
		if n := count(rt.Context(), 3); n != 6*6*6 { // also from an ordinary goroutine
			t.Errorf("%d leaves of %d", n, 6*6*6)
		}
	})
}

// TestComplaintCancelWithThousandsQueued, pond#138: a scope is canceled, from outside and from
// inside, with thousands of its messages queued in all places where a message can be. Cancel
// returns. Wait returns. Each message has failed with the cause. Messages of no scope or of another
// go on.
func TestComplaintCancelWithThousandsQueued(t *testing.T) {
	const each = 2000
	cause := errors.New("enough")
	runtimetest.OnSome(t, func(t *testing.T, processors int) {
		for _, inside := range []bool{false, true} {
			rt, _ := runtimetest.Start(t, freerun.Processors(processors))
			s := rt.Scope(context.Background())
			open := make(chan struct{})
			var begun sync.WaitGroup
			begun.Add(processors)
			for range processors { // keeps every processor busy
				freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
					begun.Done()
					<-open
					return 0, nil
				})
			}
			begun.Wait()
			u, small := freerun.NewUnit(rt, 0), freerun.NewUnit(rt, 0, freerun.MailboxLimit(2, freerun.WaitForRoom))
			last := freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { return 1, nil })
			var started atomic.Int64
			run := func() (int, error) { started.Add(1); return 0, nil }
			var all []freerun.Future[int]
			for i := range each {
				c := s.Context().WithPriority(runtimetest.Priorities[i/2%4])
				late, _ := runtimetest.AddOne.SendAfter(c, time.Hour, u, 1)
				all = append(all, late,
					freerun.Do(c, u, func(*freerun.Context, *int) (int, error) { return run() }),
					freerun.Go(c, func(*freerun.Context) (int, error) { return run() }),
					freerun.Then(c, last, func(*freerun.Context, int) (int, error) { return run() }),
					freerun.When2(c, u, small, func(*freerun.Context, *int, *int) (int, error) { return run() }))
			}
			var waiting sync.WaitGroup
			var refused atomic.Int64
			for range 3 {
				waiting.Go(func() { // these senders wait for room, sooner or later
					for {
						if err := runtimetest.AddOne.Tell(s.Context(), small, 1); err != nil {
							if !errors.Is(err, freerun.ErrCanceled) {
								t.Errorf("a sender that waited for room got %v", err)
							}
							refused.Add(1)
							return
						}
					}
				})
			}
			outside := runtimetest.AddOne.Send(rt.Context(), u, 1)
			if inside {
				close(open)
				runtimetest.Must(t, freerun.Go(s.Context().WithPriority(freerun.High), func(c *freerun.Context) (int, error) { c.Scope().Cancel(cause); return 0, nil }))
			} else {
				s.Cancel(cause)
				close(open)
			}
			if err := s.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCanceled) {
				t.Fatalf("Wait: %v", err)
			}
			waiting.Wait()
			okay := int64(0)
			for i, f := range all {
				if _, err := f.Result(); err == nil {
					okay++
				} else if !errors.Is(err, freerun.ErrCanceled) || !errors.Is(err, cause) {
					t.Fatalf("message %d: %v", i, err)
				}
			}
			if okay != started.Load() || !inside && okay != 0 || refused.Load() != 3 {
				t.Errorf("%d were started, %d have a result, %d of 3 were told that it is over", started.Load(), okay, refused.Load())
			}
			if n := runtimetest.Must(t, outside); n != 1 {
				t.Errorf("the operation outside of the scope returned %d", n)
			}
			if err := rt.Shutdown(runtimetest.Within(t)); err != nil {
				t.Error(err)
			}
		}
	})
}
