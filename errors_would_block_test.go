package freerun_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/runtimetest"
	"github.com/freerun-go/freerun/internal/sys/goid"
)

// waitsOf calls each wait that is for ordinary goroutines, and hands its error to tell.
func waitsOf(rt *freerun.Runtime, ctx context.Context, tell func(wait string, err error)) {
	u := freerun.NewUnit(rt, 0)
	s := rt.Scope(context.Background())
	defer s.Cancel(nil)
	_, err := freerun.After(s.Context(), time.Hour).Wait(ctx)
	tell("Future.Wait", err)
	_, err = addTo.Call(ctx, u, 1)
	tell("Call", err)
	tell("Scope.Wait", s.Wait(ctx))
	tell("Quiesce", rt.Quiesce(ctx))
	tell("Shutdown", rt.Shutdown(ctx))
	tell("Close", rt.Close())
}

// adviceFor has, for each wait, what its error names as the way of an activity.
var adviceFor = map[string]string{
	"Future.Wait": "Await", "Call": "Await", "Scope.Wait": "activity.Latch", "Quiesce": "ordinary goroutine", "Shutdown": "ordinary goroutine",
	"Close": "ordinary goroutine",
}

// TestActivityIsToldHowToWait: the waits of ordinary goroutines are refused in an activity, and the
// errors name what an activity does instead.
func TestActivityIsToldHowToWait(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Processors(1))
	tell := func(where string) func(string, error) {
		return func(wait string, err error) {
			if !errors.Is(err, freerun.ErrWouldBlock) {
				t.Errorf("%s %s: %v", wait, where, err)
			} else if text := err.Error(); !strings.Contains(text, adviceFor[wait]) || strings.Contains(text, "operation must") {
				t.Errorf("%s %s is told %q", wait, where, text)
			}
		}
	}
	err := activity.Go(rt, func(a *activity.Activity) {
		waitsOf(rt, a, tell("in an activity"))
		a.Block(func() { waitsOf(rt, a, tell("in Block of an activity")) })
	}).Wait(runtimetest.Within(t))
	if err != nil {
		t.Error(err)
	}
}

var waitsSmall = freerun.SmallOp("waitsSmall", func(c *freerun.Context, tell func(string, error)) (int, error) {
	waitsOf(c.Runtime(), c, tell)
	return 1, nil
})

// adviceForOperation has, for each wait, what its error names as the way of an operation.
var adviceForOperation = map[string]string{
	"Future.Wait": "pass the future on", "Call": "pass the future on", "Scope.Wait": "pass on futures of what is in it",
	"Quiesce": "a goroutine of its own may", "Shutdown": "a goroutine of its own may", "Close": "a goroutine of its own may",
}

// TestOperationIsToldHowToWait: the waits of ordinary goroutines are refused in an operation, and
// the errors name what an operation does instead, and not what an activity does. An operation that
// an activity has called, as an inlined one, and a branch of an activity's join get the same
// errors.
func TestOperationIsToldHowToWait(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Processors(1))
	told := 0
	tell := func(wait string, err error) {
		told++
		if !errors.Is(err, freerun.ErrWouldBlock) {
			t.Errorf("%s in an operation: %v", wait, err)
		} else if text := err.Error(); !strings.Contains(text, adviceForOperation[wait]) || strings.Contains(text, "activity") {
			t.Errorf("%s in an operation is told %q", wait, text)
		}
	}
	runtimetest.Must(t, waitsSmall.Send(rt.Context(), tell))
	err := activity.Go(rt, func(a *activity.Activity) {
		if _, err := waitsSmall.Send(freerun.ContextOf(a), tell).Await(a); err != nil {
			t.Error(err)
		}
		freerun.Join(freerun.ContextOf(a), func(c *freerun.Context) int { waitsOf(rt, c, tell); return 0 }, func(*freerun.Context) int { return 0 })
	}).Wait(runtimetest.Within(t))
	if err != nil || told != 3*len(adviceFor) {
		t.Errorf("%v, and %d errors", err, told)
	}
}

// TestPulledOfAnActivityIsTold: the errors of waits in a coroutine that an activity has made with
// iter.Pull say that it is such a coroutine. Those of locks do, too.
func TestPulledOfAnActivityIsTold(t *testing.T) {
	if goid.Number() == 0 {
		t.Log("this build cannot tell, and says so")
		return
	}
	rt := runtimetest.Quiet(t, freerun.Processors(1))
	told := 0
	err := activity.Go(rt, func(a *activity.Activity) {
		next, stop := iter.Pull(func(yield func(error) bool) {
			waitsOf(rt, a, func(wait string, err error) {
				if !errors.Is(err, freerun.ErrWouldBlock) {
					err = errors.Join(errors.New(wait+" is not refused"), err)
				}
				yield(err)
			})
			err := activity.NewLatch(1).Wait(a)
			if !errors.Is(err, activity.ErrWouldBlock) {
				err = errors.Join(errors.New("a latch is waited for"), err)
			}
			yield(err)
		})
		defer stop()
		for err, more := next(); more; err, more = next() {
			if told++; err == nil || !strings.Contains(err.Error(), "a coroutine of iter.Pull must not wait") {
				t.Errorf("told %v", err)
			}
		}
	}).Wait(runtimetest.Within(t))
	if err != nil || told != len(adviceFor)+1 {
		t.Errorf("%v, and %d errors", err, told)
	}
}

// TestActivityWaitsInItsBlock: an activity that waits in its Block goes on with the processor that
// the wait has given it, and leaves its context to no other operation.
func TestActivityWaitsInItsBlock(t *testing.T) {
	for _, locked := range []bool{false, true} {
		rt := runtimetest.Quiet(t, freerun.Processors(1))
		a := activity.Go(rt, func(a *activity.Activity) {
			if locked {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
			}
			mine := freerun.ContextOf(a)
			for range 3 {
				a.Block(func() {
					if _, err := freerun.Go(mine, func(*freerun.Context) (int, error) { return 1, nil }).Await(a); err != nil {
						t.Error(err)
					}
				})
				theirs, err := freerun.Go(mine, func(c *freerun.Context) (*freerun.Context, error) { return c, nil }).Await(a)
				if err != nil || theirs == mine {
					t.Errorf("an operation runs with the context of the activity, %v", err)
				}
			}
		})
		if err := a.Wait(runtimetest.Within(t)); err != nil {
			t.Error(err)
		}
		if s := rt.Stats(); s.Sent != s.Done || s.Failed != 0 {
			t.Errorf("%+v", s)
		}
	}
}

// An activity has an ordinary goroutine wait for a scope, and waits for that goroutine.
func ExampleScope_Wait_activity() {
	rt := freerun.New()
	defer rt.Close()
	done := activity.Go(rt, func(a *activity.Activity) {
		s := rt.Scope(a)
		defer s.Cancel(nil)
		c := freerun.ContextOf(a).WithScope(s)
		for _, word := range []string{"one", "two"} {
			freerun.Go(c, func(c *freerun.Context) (int, error) {
				return freerun.Forward(c, freerun.Go(c, func(*freerun.Context) (int, error) { return len(word), nil }))
			})
		}
		var err error
		quiet := activity.NewLatch(1)
		go func() {
			err = s.Wait(a)
			quiet.CountDown()
		}()
		if quiet.Wait(a) == nil {
			fmt.Println("all of it is done:", err)
		}
	})
	fmt.Println(done.Wait(context.Background()))
	// Output:
	// all of it is done: <nil>
	// <nil>
}

// An activity awaits a future no longer than a deadline: another activity awaits it, in a scope
// with that deadline.
func ExampleFuture_Await_deadline() {
	rt := freerun.New()
	defer rt.Close()
	slow := freerun.After(rt.Context(), time.Hour)
	done := activity.Go(rt, func(a *activity.Activity) {
		ctx, cancel := context.WithTimeout(a, time.Millisecond)
		defer cancel()
		s := rt.Scope(ctx)
		defer s.Cancel(nil)
		var err error
		awaits := activity.Go(freerun.ContextOf(a).WithScope(s), func(b *activity.Activity) { _, err = slow.Await(b) })
		if refused := awaits.Wait(a); refused != nil {
			err = refused // the deadline came before it began
		}
		fmt.Println(errors.Is(err, context.DeadlineExceeded))
	})
	fmt.Println(done.Wait(context.Background()))
	// Output:
	// true
	// <nil>
}
