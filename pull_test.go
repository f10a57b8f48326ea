package freerun_test

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/runtimetest"
	"github.com/freerun-go/freerun/internal/sys/goid"
)

// TestPullInsideOperation: a coroutine that an operation makes with iter.Pull is inside the
// operation. Calls that would wait are refused, and a send does not wait for room.
func TestPullInsideOperation(t *testing.T) {
	if goid.Number() == 0 {
		t.Log("this build cannot tell, and says so")
		return
	}
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	u := freerun.NewUnit(rt, pile{}, freerun.MailboxLimit(1, freerun.WaitForRoom))
	s := rt.Scope(context.Background())
	defer s.Cancel(nil)
	inside := func(c *freerun.Context) (err error) {
		next, stop := iter.Pull(func(yield func(error) bool) {
			open := pileAdd.Send(c, u, 1)
			for range 5 {
				if err := pileAdd.Tell(c, u, 1); err != nil {
					yield(err)
				}
				if err := pileAdd.Tell(rt.Context(), u, 1); err != nil {
					yield(err)
				}
			}
			pileAdd.Tell(s.Context(), u, 1)
			_, waits := open.Wait(runtimetest.Within(t))
			_, calls := pileAdd.Call(runtimetest.Within(t), u, 1)
			for _, err := range []error{waits, calls, s.Wait(runtimetest.Within(t)), rt.Quiesce(runtimetest.Within(t)), rt.Shutdown(runtimetest.Within(t))} {
				if !errors.Is(err, freerun.ErrWouldBlock) {
					yield(errors.Join(errors.New("a wait was not refused"), err))
				}
			}
			if got := fib.Run(rt.Context(), 10); got != 55 {
				yield(errors.New("not 55"))
			}
		})
		defer stop()
		for err, more := next(); more; err, more = next() {
			t.Error(err)
		}
		return nil
	}
	for range 3 {
		runtimetest.Must(t, freerun.Do(rt.Context(), u, func(c *freerun.Context, _ *pile) (int, error) { return 0, inside(c) }))
	}
	if err := activity.Go(rt, func(a *activity.Activity) { inside(freerun.ContextOf(a)) }).Wait(runtimetest.Within(t)); err != nil {
		t.Error(err)
	}
	if err := s.Wait(runtimetest.Within(t)); err != nil {
		t.Error(err)
	}
	if ran := runtimetest.Must(t, freerun.Do(rt.Context(), u, func(_ *freerun.Context, p *pile) (int, error) { return p.ran, nil })); ran != 4*12 {
		t.Errorf("%d ran", ran)
	}
}

// TestPullOutside: a coroutine that an ordinary goroutine makes counts as one, also while
// operations run.
func TestPullOutside(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	u := freerun.NewUnit(rt, pile{}, freerun.MailboxLimit(1, freerun.WaitForRoom))
	g := runtimetest.NewGate()
	busy := freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { g.Pass(); return 1, nil })
	<-g.Entered
	next, stop := iter.Pull(func(yield func(error) bool) {
		for range 100 {
			if err := pileAdd.Tell(rt.Context(), u, 1); err != nil {
				yield(err)
			}
			if _, err := pileAdd.Call(runtimetest.Within(t), u, 1); err != nil {
				yield(err)
			}
			if _, err := pileAdd.Send(rt.Context(), u, 1).Wait(runtimetest.Within(t)); err != nil {
				yield(err)
			}
		}
	})
	defer stop()
	for err, more := next(); more; err, more = next() {
		t.Error(err)
	}
	close(g.Opened)
	runtimetest.Must(t, busy)
}
