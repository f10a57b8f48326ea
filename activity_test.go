package freerun_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

var addTo = freerun.Op("activities.add", func(_ *freerun.Context, total *int, n int) (int, error) {
	*total += n
	return *total, nil
})

func TestActivityAwaitsUnits(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Processors(2))
	u := freerun.NewUnit(rt, 0)
	var all []*activity.Activity
	for range 50 {
		all = append(all, activity.Go(rt, func(a *activity.Activity) {
			c := freerun.ContextOf(a)
			for range 100 {
				if _, err := addTo.Send(c, u, 1).Await(a); err != nil {
					t.Error(err)
				}
			}
		}))
	}
	for _, a := range all {
		if err := a.Wait(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if n, err := addTo.Send(rt.Context(), u, 0).Wait(t.Context()); n != 5000 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if err := rt.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if s := rt.Stats(); s.Sent != 5051 || s.Done != 5051 || s.Failed != 0 {
		t.Errorf("%+v", s)
	}
}

func TestOperationStartsActivities(t *testing.T) {
	rt := runtimetest.Quiet(t)
	u := freerun.NewUnit(rt, 0)
	f := freerun.Do(rt.Context(), u, func(c *freerun.Context, _ *int) (*activity.Activity, error) {
		a := activity.Go(c, func(a *activity.Activity) {
			for range 10 {
				a.Yield()
				// u is busy until a.Wait has answered.
				if _, err := addTo.Send(freerun.ContextOf(a), u, 1).Await(a); err != nil {
					t.Error(err)
				}
			}
		})
		if err := a.Wait(c); !errors.Is(err, freerun.ErrWouldBlock) || !strings.Contains(err.Error(), "start an activity that does") {
			t.Errorf("waiting in an operation: %v", err)
		}
		return a, nil
	})
	a, err := f.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	if n, _ := addTo.Send(rt.Context(), u, 0).Wait(t.Context()); n != 10 {
		t.Errorf("%d", n)
	}
}

func TestActivityWithABlockingWait(t *testing.T) {
	rt := runtimetest.Quiet(t)
	a := activity.Go(rt, func(a *activity.Activity) {
		f := freerun.After(freerun.ContextOf(a), time.Hour)
		if _, err := f.Wait(t.Context()); !errors.Is(err, freerun.ErrWouldBlock) {
			t.Errorf("Wait in an activity: %v", err)
		}
	})
	if err := a.Wait(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestActivityPanics(t *testing.T) {
	rt := runtimetest.Quiet(t)
	for name, end := range map[string]func(){"panic": func() { panic("test") }, "Goexit": runtime.Goexit} {
		s := rt.Scope(t.Context())
		a := activity.Go(s, func(a *activity.Activity) {
			a.Yield()
			end()
		}, activity.Named("falls"))
		err := a.Wait(t.Context())
		var p *freerun.PanicError
		if !errors.As(err, &p) || p.Operation != "falls" || name == "Goexit" != errors.Is(err, freerun.ErrGoexit) {
			t.Errorf("%s: came to %v", name, err)
		}
		var first *freerun.ScopeError
		if err := s.Wait(t.Context()); !errors.As(err, &first) || !errors.As(err, &p) {
			t.Errorf("%s: the scope came to %v", name, err)
		}
	}
	if s := rt.Stats(); s.Panics != 2 || s.Failed != 2 || s.Sent != s.Done {
		t.Errorf("%+v", s)
	}
}

func TestActivityCanceledWithItsScope(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Processors(2))
	s := rt.Scope(t.Context())
	cause := errors.New("test")
	var waiting sync.WaitGroup
	var all []*activity.Activity
	for i := range 20 {
		waiting.Add(1)
		all = append(all, activity.Go(s, func(a *activity.Activity) {
			c := freerun.ContextOf(a)
			f := freerun.After(rt.Context(), time.Hour)
			waiting.Done()
			var err error
			switch i % 3 {
			case 0:
				err = a.Sleep(time.Hour)
			case 1:
				_, err = f.Await(a)
			case 2:
				other := activity.Go(rt, func(a *activity.Activity) { a.Sleep(time.Hour) })
				err = other.Wait(a)
			}
			if !errors.Is(err, freerun.ErrCanceled) || !errors.Is(err, cause) {
				t.Errorf("%d came to %v", i%3, err)
			}
			if err := a.Sleep(time.Hour); !errors.Is(err, freerun.ErrCanceled) {
				t.Errorf("once more: %v", err)
			}
			if a.Err() == nil || c.Err() == nil {
				t.Error("its contexts are not done")
			}
			a.Yield() // goes on
		}))
	}
	waiting.Wait()
	s.Cancel(cause)
	late := activity.Go(s, func(*activity.Activity) { t.Error("begun after the cancellation") })
	for _, a := range all {
		// ErrCanceled: it had not begun.
		if err := a.Wait(t.Context()); err != nil && !errors.Is(err, freerun.ErrCanceled) {
			t.Error(err)
		}
	}
	if err := late.Wait(t.Context()); !errors.Is(err, freerun.ErrCanceled) {
		t.Errorf("late: %v", err)
	}
}

func TestActivityAtTheEnd(t *testing.T) {
	t.Run("Shutdown waits", func(t *testing.T) {
		rt := runtimetest.Quiet(t)
		ended := false
		activity.Go(rt, func(a *activity.Activity) {
			a.Sleep(5 * time.Millisecond)
			ended = true
		})
		if err := rt.Shutdown(t.Context()); err != nil || !ended {
			t.Errorf("%v, ended: %v", err, ended)
		}
		late := activity.Go(rt, func(*activity.Activity) { t.Error("begun") })
		if err := late.Wait(t.Context()); err != freerun.ErrClosed {
			t.Errorf("late: %v", err)
		}
	})
	t.Run("Close ends all", func(t *testing.T) {
		rt := runtimetest.Quiet(t, freerun.Processors(2))
		var begun sync.WaitGroup
		var deferred atomic.Int64
		var all []*activity.Activity
		for i := range 30 {
			begun.Add(1)
			all = append(all, activity.Go(rt, func(a *activity.Activity) {
				defer deferred.Add(1)
				begun.Done()
				switch i % 3 {
				case 0:
					a.Sleep(time.Hour)
				case 1:
					freerun.After(freerun.ContextOf(a), time.Hour).Await(a)
					a.Sleep(time.Hour)
				case 2:
					for {
						a.Yield()
					}
				}
				t.Error("went on")
			}))
		}
		begun.Wait()
		err := rt.Close()
		var left *freerun.ShutdownError
		if !errors.As(err, &left) || left.Running != nil {
			t.Errorf("Close: %v", err)
		}
		for _, a := range all {
			if err := a.Wait(t.Context()); err != freerun.ErrClosed {
				t.Errorf("came to %v", err)
			}
		}
		if deferred.Load() != 30 {
			t.Errorf("%d have run what they deferred", deferred.Load())
		}
		if s := rt.Stats(); s.Sent != s.Done {
			t.Errorf("%+v", s)
		}
	})
	t.Run("one that does not end is named", func(t *testing.T) {
		rt := runtimetest.Quiet(t)
		begun, release := make(chan struct{}), make(chan struct{})
		a := activity.Go(rt, func(a *activity.Activity) {
			a.Block(func() { close(begun); <-release })
		}, activity.Named("stubborn"))
		<-begun
		var left *freerun.ShutdownError
		if err := rt.Close(); !errors.As(err, &left) || len(left.Running) != 1 || left.Running[0] != "stubborn" {
			t.Errorf("Close: %v", err)
		}
		close(release)
		if err := a.Wait(t.Context()); err != freerun.ErrClosed {
			t.Errorf("came to %v", err)
		}
	})
}

func TestActivityForksAndJoins(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Processors(2))
	var all []*activity.Activity
	for range 8 {
		all = append(all, activity.Go(rt, func(a *activity.Activity) {
			for range 20 {
				c := freerun.ContextOf(a)
				n := freerun.Reduce(c, 1000, func(c *freerun.Context, i int) int { return i }, func(a, b int) int { return a + b })
				if n != 499500 {
					t.Errorf("%d", n)
				}
				x, y := freerun.Join(c, func(c *freerun.Context) int { runtime.Gosched(); return 1 }, func(c *freerun.Context) int { return 2 })
				if x != 1 || y != 2 {
					t.Errorf("%d, %d", x, y)
				}
				a.Yield()
				a.Block(runtime.Gosched)
			}
		}))
	}
	for _, a := range all {
		if err := a.Wait(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func TestWatchdogNamesActivities(t *testing.T) {
	late := make(chan freerun.LateReport, 1)
	rt := runtimetest.Quiet(t, freerun.Watchdog(5*time.Millisecond, 0), freerun.OnLate(func(l freerun.LateReport) {
		select {
		case late <- l:
		default:
		}
	}))
	var release atomic.Bool
	a := activity.Go(rt, func(a *activity.Activity) { neverYields(&release) }, activity.Named("greedy"))
	if l := <-late; l.Operation != "greedy" || !strings.Contains(string(l.Stack), "neverYields") {
		t.Errorf("%s:\n%s", l.Operation, l.Stack)
	}
	release.Store(true)
	if err := a.Wait(t.Context()); err != nil {
		t.Error(err)
	}
}

//go:noinline
func neverYields(release *atomic.Bool) {
	for !release.Load() {
	}
}

func TestActivitiesDeterministic(t *testing.T) {
	run := func(seed uint64) (order []int) {
		rt := runtimetest.Quiet(t, freerun.Deterministic(seed))
		u := freerun.NewUnit(rt, 0)
		s := rt.Scope(t.Context())
		var all []*activity.Activity
		for i := range 6 {
			all = append(all, activity.Go(rt, func(a *activity.Activity) {
				for j := range 3 {
					addTo.Send(freerun.ContextOf(a), u, 1).Await(a)
					order = append(order, i)
					a.Sleep(time.Duration(i*j) * time.Second)
					a.Block(func() {})
				}
				if i == 5 {
					s.Cancel(nil)
				}
			}))
			all = append(all, activity.Go(s, func(a *activity.Activity) {
				if err := a.Sleep(time.Hour); !errors.Is(err, freerun.ErrCanceled) {
					t.Errorf("came to %v", err)
				}
				order = append(order, 100+i)
			}))
		}
		if err := rt.Quiesce(context.Background()); err != nil {
			t.Fatal(err)
		}
		for _, a := range all {
			if !a.Ended() {
				t.Error("one has not ended")
			}
		}
		return order
	}
	first, different := run(1), false
	for seed := range uint64(10) {
		again, once := run(seed), run(seed)
		if len(again) != 24 || !slices.Equal(again, once) {
			t.Errorf("seed %d: %v and %v", seed, again, once)
		}
		different = different || !slices.Equal(again, first)
	}
	if !different {
		t.Error("all seeds have the same order")
	}
}

func TestActivityMisuse(t *testing.T) {
	rt := runtimetest.Quiet(t)
	f := freerun.After(rt.Context(), time.Hour)
	begun, release := make(chan *activity.Activity), make(chan struct{})
	a := activity.Go(rt, func(a *activity.Activity) { a.Block(func() { begun <- a; <-release }) })
	held := <-begun
	for text, misuse := range map[string]func(){
		"freerun: Await by another goroutine":     func() { f.Await(held) },
		"freerun: ContextOf by another goroutine": func() { freerun.ContextOf(held) },
		"activity: Sleep by another goroutine":    func() { held.Sleep(1) },
	} {
		said := func() (said string) {
			defer func() { said, _ = recover().(string) }()
			misuse()
			return ""
		}()
		if !strings.HasPrefix(said, text) {
			t.Errorf("panicked with %q, want %q", said, text)
		}
	}
	close(release)
	if err := a.Wait(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestActivityPriorities(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Processors(1))
	var order []string
	first := activity.Go(rt, func(a *activity.Activity) {
		var all []*activity.Activity
		note := func(a *activity.Activity) {
			for range 2 {
				order = append(order, a.Name())
				a.Yield()
			}
		}
		c := freerun.ContextOf(a)
		all = append(all, activity.Go(c.WithPriority(freerun.Low), note, activity.Named("low")))
		all = append(all, activity.Go(c, note, activity.Named("normal")))
		all = append(all, activity.Go(c.WithPriority(freerun.High), note, activity.Named("high")))
		for _, other := range all {
			if err := other.Wait(a); err != nil {
				t.Error(err)
			}
		}
	})
	if err := first.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	if len(order) != 6 || order[0] != "high" || order[1] != "normal" && order[1] != "high" || order[5] != "low" {
		t.Errorf("order %v", order)
	}
}

// TestActivityContextAfterWaits has activities take turns on one worker before they ask for their
// contexts: each then has one of its own, which stays, across waits, blocking code and the start of
// other activities.
func TestActivityContextAfterWaits(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Processors(1))
	u := freerun.NewUnit(rt, 0)
	const many = 5
	contexts := make([]*freerun.Context, many)
	var all []*activity.Activity
	var without atomic.Int64
	without.Store(many)
	for i := range many {
		all = append(all, activity.Go(rt, func(a *activity.Activity) {
			defer func() { // none ends before all have their contexts: its own could be used again
				for without.Add(-1); without.Load() > 0; {
					a.Yield()
				}
			}()
			for range 3 {
				a.Yield()
			}
			started := activity.Go(a, func(b *activity.Activity) { b.Yield() })
			if i%2 == 0 { // the others leave their processor before they have a context
				contexts[i] = freerun.ContextOf(a)
			}
			a.Block(func() {
				c := freerun.ContextOf(a)
				if contexts[i] == nil {
					contexts[i] = c
				}
				addTo.Send(c, u, 1)
			})
			if err := started.Wait(a); err != nil {
				t.Error(err)
			}
			if c := freerun.ContextOf(a); c != contexts[i] {
				t.Errorf("activity %d has another context after a wait", i)
			}
			if _, err := addTo.Send(freerun.ContextOf(a), u, 1).Await(a); err != nil {
				t.Error(err)
			}
		}))
	}
	for _, a := range all {
		if err := a.Wait(t.Context()); err != nil {
			t.Error(err)
		}
	}
	for i, c := range contexts {
		if slices.Contains(contexts[:i], c) {
			t.Errorf("activity %d had the context of another one that ran at the same time", i)
		}
	}
	if n, err := addTo.Send(rt.Context(), u, 0).Wait(t.Context()); n != 2*many || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}
