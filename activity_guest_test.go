package freerun_test

import (
	"errors"
	"runtime"
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

// TestForeignBlockTakesTheContext has an activity take the context that it shares with others away,
// by Block of an operation's context, and come back to the processor with it before any other has
// run there. Activities that run there later have another context.
func TestForeignBlockTakesTheContext(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Processors(1))
	a := captured(t, rt, func(c *freerun.Context, a *activity.Activity) {
		var own *freerun.Context
		c.Block(func() { own = freerun.ContextOf(a) })
		if err := a.Sleep(time.Millisecond); err != nil { // it has a processor again
			t.Error(err)
		}
		other := activity.Go(rt, func(*activity.Activity) {
			if freerun.ActiveContext() == own {
				t.Error("an activity runs with the context that another one has asked for")
			}
		})
		if err := other.Wait(a); err != nil {
			t.Error(err)
		}
		if freerun.ContextOf(a) != own {
			t.Error("an activity has had two contexts")
		}
	})
	if err := a.Wait(runtimetest.Within(t)); err != nil {
		t.Error(err)
	}
}

// TestJoinsOfGuests has activities that have no context of their own make one from an operation's,
// join with it, and take turns in the branches. They must not get the context that they share.
func TestJoinsOfGuests(t *testing.T) {
	for _, processors := range []int{1, 2} {
		rt := runtimetest.Quiet(t, freerun.Processors(processors))
		var all []*activity.Activity
		for i := range 8 {
			all = append(all, captured(t, rt, func(c *freerun.Context, a *activity.Activity) {
				for range 50 {
					made := c.WithPriority(freerun.Normal)
					if made == freerun.ActiveContext() {
						t.Error("the shared context was handed out")
					}
					x, y := freerun.Join(made,
						func(*freerun.Context) int { a.Yield(); return i },
						func(*freerun.Context) int { return -i })
					if x != i || y != -i {
						t.Errorf("activity %d: %d, %d", i, x, y)
					}
					a.Yield()
				}
			}))
		}
		for _, a := range all {
			if err := a.Wait(runtimetest.Within(t)); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestSendAfterTheLockAtTheEnd has activities that were ended in the Wait of a Cond unlock it in a
// deferred function, which discards the next one on the same goroutine, and then ask for their
// contexts and send. The future that they get has its outcome, so Await returns: at one that is
// open, it would end the deferred function too.
func TestSendAfterTheLockAtTheEnd(t *testing.T) {
	for round := range 40 {
		rt := runtimetest.Quiet(t, freerun.Processors(1+round%3))
		u := freerun.NewUnit(rt, 0)
		var l activity.Locker = new(activity.Mutex)
		if round%2 == 0 {
			l = new(activity.FairMutex)
		}
		c := activity.NewCond(l)
		var waiting, asked atomic.Int64
		var all []*activity.Activity
		const many = 30
		for range many {
			all = append(all, activity.Go(rt, func(a *activity.Activity) {
				_ = l.Lock(a)
				defer func() {
					l.Unlock()
					_, err := addTo.Send(freerun.ContextOf(a), u, 1).Await(a)
					if !errors.Is(err, freerun.ErrClosed) {
						t.Errorf("sent at the end: %v", err)
					}
					asked.Add(1)
				}()
				waiting.Add(1)
				_ = c.Wait(a)
			}))
		}
		for waiting.Load() < many {
			runtime.Gosched()
		}
		across := round%4 < 2 // the end finds no processor to run them on
		if across {
			_ = l.Lock(t.Context())
		}
		_ = rt.Close()
		if across {
			l.Unlock()
		}
		for _, a := range all {
			if err := a.Wait(runtimetest.Within(t)); err != freerun.ErrClosed {
				t.Errorf("came to %v", err)
			}
		}
		if asked.Load() != many {
			t.Errorf("%d of %d have sent", asked.Load(), many)
		}
	}
}

// TestContextsInTurns has activities begin, go on and end in turns: such that all are guests,
// and of the runtime and of scopes, one of which is canceled. Each looks at what the runtime says
// of it.
func TestContextsInTurns(t *testing.T) {
	contextsInTurns(t, 200, false)
	contextsInTurns(t, 200, true) // most stacks have contexts of their own soon
	for range 50 {
		contextsInTurns(t, 2, true)
	}
}

func contextsInTurns(t *testing.T, rounds int64, scopes bool) {
	rt := runtimetest.Quiet(t, freerun.Processors(1))
	scope, ended := rt.Scope(t.Context()), rt.Scope(t.Context())
	defer scope.Cancel(nil)
	ended.Cancel(errors.New("no more"))
	contextOfOperations := func() *freerun.Context {
		f := freerun.Go(rt.Context(), func(c *freerun.Context) (*freerun.Context, error) { return c, nil })
		c, err := f.Wait(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	before := contextOfOperations()

	var looks atomic.Int64
	start := func(in activity.Starter, name string, also func(*activity.Activity)) *activity.Activity {
		return activity.Go(in, func(a *activity.Activity) {
			for range 2 {
				looks.Add(1)
				if got := rt.Running()[0].Operation; got != name {
					t.Errorf("activity %q runs as %q", name, got)
				}
				also(a)
			}
		}, activity.Named(name))
	}
	nothing := func(*activity.Activity) {}
	yields := func(a *activity.Activity) { a.Yield() }
	inScope := func(b *activity.Activity) {
		if freerun.ContextOf(b).Scope() != scope {
			t.Error("an activity of the scope is not in it")
		}
	}
	round := func(a *activity.Activity) {
		var event activity.Event
		start(a, "first", nothing)
		start(a, "second", nothing)
		if scopes {
			start(scope, "of the scope", inScope)
			start(ended, "never", nothing)
			start(a, "no guest", func(b *activity.Activity) { freerun.ContextOf(b) })
		}
		start(a, "third", yields)
		start(a, "fourth", nothing)
		if scopes {
			start(scope, "yields in the scope", yields)
		}
		last := start(a, "last", func(*activity.Activity) { event.Set() })
		if event.Wait(a) != nil || last.Wait(a) != nil {
			t.Error("not woken")
		}
		if got := rt.Running()[0].Operation; got != "starter" {
			t.Errorf("the starter runs as %q", got)
		}
	}
	if scopes { // by an operation, they are queued one behind the other
		freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
			in := c.WithScope(scope)
			start(c, "first", nothing)
			start(in, "second, of the scope", inScope)
			start(in, "third, of the scope", yields)
			start(c, "fourth", yields)
			return 0, nil
		})
		if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
			t.Fatal(err)
		}
	}
	starter := activity.Go(rt, func(a *activity.Activity) {
		for range rounds {
			round(a)
		}
	}, activity.Named("starter"))
	if err := starter.Wait(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	want := 5 * 2 * rounds
	if scopes {
		want += 3*2*rounds + 4*2
	}
	if n := looks.Load(); n != want {
		t.Errorf("%d looks, want %d", n, want)
	}
	if got := rt.Running()[0]; got != (freerun.RunningOperation{}) {
		t.Errorf("%+v runs after the end", got)
	}
	if contextOfOperations() != before {
		t.Error("operations run in the context of activities")
	}
}
