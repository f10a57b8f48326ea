package freerun_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// captured starts an operation that starts an activity which gets the operation's context, and
// runs on the operation's processor. It returns the activity.
func captured(t *testing.T, rt *freerun.Runtime, do func(c *freerun.Context, a *activity.Activity)) *activity.Activity {
	t.Helper()
	a, err := freerun.Go(rt.Context(), func(c *freerun.Context) (*activity.Activity, error) {
		return activity.Go(rt, func(a *activity.Activity) { do(c, a) }), nil
	}).Wait(runtimetest.Within(t))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestContextAfterForeignBlock has an activity that has no context of its own yet leave its
// processor by Block of an operation's context, and then ask for its context: in the blocking code,
// after it, and after a wait.
func TestContextAfterForeignBlock(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Processors(1))
	u := freerun.NewUnit(rt, 0)
	for _, within := range []bool{true, false} {
		a := captured(t, rt, func(c *freerun.Context, a *activity.Activity) {
			own := []*freerun.Context{}
			ask := func() {
				x := freerun.ContextOf(a)
				own = append(own, x)
				if _, err := addTo.Send(x, u, 1).Await(a); err != nil {
					t.Error(err)
				}
			}
			c.Block(func() {
				other := activity.Go(rt, func(b *activity.Activity) { // on the processor
					b.Yield()
					if freerun.ContextOf(b) == nil {
						t.Error("no context")
					}
				})
				if within {
					own = append(own, freerun.ContextOf(a))
				}
				for !other.Ended() {
					time.Sleep(time.Millisecond)
				}
			})
			ask()
			a.Yield()
			ask()
			for _, x := range own {
				if x != own[0] {
					t.Error("an activity has had two contexts")
				}
			}
		})
		if err := a.Wait(runtimetest.Within(t)); err != nil {
			t.Error(err)
		}
	}
	if n, err := addTo.Send(rt.Context(), u, 0).Wait(t.Context()); n != 4 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

// TestContextOfTheDiscarded has activities ask for their contexts in deferred functions, at the end
// of their runtime: on a processor, and where none runs them any more.
func TestContextOfTheDiscarded(t *testing.T) {
	for _, processors := range []int{1, 2} {
		for range 20 {
			rt := runtimetest.Quiet(t, freerun.Processors(processors))
			u := freerun.NewUnit(rt, 0)
			var begun sync.WaitGroup
			var asked atomic.Int64
			var all []*activity.Activity
			const many = 30
			for range many {
				begun.Add(1)
				all = append(all, activity.Go(rt, func(a *activity.Activity) {
					defer func() {
						c := freerun.ContextOf(a)
						if c.Runtime() != rt || c != freerun.ContextOf(a) {
							t.Error("not the context of this runtime, or two of them")
						}
						if _, err := addTo.Send(c, u, 1).Await(a); !errors.Is(err, freerun.ErrClosed) {
							t.Errorf("sent at the end: %v", err)
						}
						asked.Add(1)
					}()
					begun.Done()
					for {
						a.Yield()
					}
				}))
			}
			begun.Wait()
			_ = rt.Close()
			for _, a := range all {
				if err := a.Wait(runtimetest.Within(t)); err != freerun.ErrClosed {
					t.Errorf("came to %v", err)
				}
			}
			if asked.Load() != many {
				t.Errorf("%d of %d have asked for their context", asked.Load(), many)
			}
		}
	}
}

// TestContextAfterForeignJoin has an activity that has no context of its own yet sleep in a join of
// the context that it runs with: the join may bring it to another processor, with that context.
func TestContextAfterForeignJoin(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Processors(2))
	for range 8 { // one at a time, so that the other processor has time to steal
		a := captured(t, rt, func(c *freerun.Context, a *activity.Activity) {
			for range 10 {
				// The activity's, if c is of its processor. The second branch may be stolen.
				c := c.WithPriority(freerun.Normal)
				x, y := freerun.Join(c,
					func(*freerun.Context) int { time.Sleep(200 * time.Microsecond); return 1 },
					func(*freerun.Context) int { time.Sleep(time.Millisecond); return 2 })
				if x != 1 || y != 2 {
					t.Errorf("%d, %d", x, y)
				}
				a.Yield()
			}
			if c := freerun.ContextOf(a); c.Runtime() != rt || c != freerun.ContextOf(a) {
				t.Error("not the context of this runtime, or two of them")
			}
		})
		if err := a.Wait(runtimetest.Within(t)); err != nil {
			t.Error(err)
		}
	}
}
