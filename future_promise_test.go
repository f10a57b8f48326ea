package freerun_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
	"github.com/freerun-go/freerun/recording"
)

var errOutside = errors.New("from outside")

// settled fails the test unless all that was sent is done, and returns how many have failed.
func settled(t *testing.T, rt *freerun.Runtime, sent uint64) (failed uint64) {
	t.Helper()
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	s := rt.Stats()
	if s.Sent != sent || s.Done != sent {
		t.Errorf("sent %d, done %d, want %d", s.Sent, s.Done, sent)
	}
	return s.Failed
}

// TestPromise: the first Resolve decides, for those that wait before and for those that come later.
func TestPromise(t *testing.T) {
	runtimetest.OnSome(t, func(t *testing.T, processors int) {
		rt, _ := runtimetest.Start(t, freerun.Processors(processors))
		c := rt.Context()
		for _, outcome := range []error{nil, errOutside} {
			before := rt.Stats()
			p := freerun.NewPromise[int](c)
			f := p.Future()
			if f != p.Future() {
				t.Error("another future")
			}
			if _, err := f.Result(); !errors.Is(err, freerun.ErrWouldBlock) {
				t.Errorf("open, and %v", err)
			}
			plus := freerun.Then(c, f, func(_ *freerun.Context, n int) (int, error) { return n + 1, nil })
			passed := freerun.Go(c, func(c *freerun.Context) (int, error) { return freerun.Forward(c, f) })
			go p.Resolve(7, outcome)
			v, err := f.Wait(runtimetest.Within(t))
			if err != outcome || err == nil && v != 7 {
				t.Errorf("%d, %v", v, err)
			}
			<-f.Done()
			if p.Resolve(8, nil) || p.Resolve(0, errors.New("late")) {
				t.Error("resolved twice")
			}
			if w, err := passed.Wait(runtimetest.Within(t)); err != outcome || err == nil && w != 7 {
				t.Errorf("forwarded: %d, %v", w, err)
			}
			if w, err := plus.Wait(runtimetest.Within(t)); !errors.Is(err, outcome) || err == nil && w != 8 {
				t.Errorf("passed on: %d, %v", w, err)
			}
			settled(t, rt, before.Sent+3)
		}
	})
}

// TestPromiseInside has operations make a promise and resolve it: the one that makes it is not the
// one that resolves it, and what waits for it runs on the same runtime.
func TestPromiseInside(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	type desk struct{ open []*freerun.Promise[string] }
	u := freerun.NewUnit(rt, desk{})
	ask := func() freerun.Future[string] {
		return freerun.Do(rt.Context(), u, func(c *freerun.Context, d *desk) (string, error) {
			p := freerun.NewPromise[string](c)
			d.open = append(d.open, p)
			return freerun.Forward(c, p.Future())
		})
	}
	first, second := ask(), ask()
	answered := runtimetest.Must(t, freerun.Do(rt.Context(), u, func(c *freerun.Context, d *desk) (int, error) {
		for i, p := range d.open {
			if !p.Resolve(strings.Repeat("x", i+1), nil) {
				return 0, errors.New("refused")
			}
		}
		return len(d.open), nil
	}))
	if answered != 2 || runtimetest.Must(t, first) != "x" || runtimetest.Must(t, second) != "xx" {
		t.Errorf("%d answered", answered)
	}
}

// TestPromiseOfFutures: futures in the value are waited for, and a value that holds the promise's
// own future is a cycle.
func TestPromiseOfFutures(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	for _, s := range []*freerun.Scope{nil, rt.Scope(t.Context())} {
		c := rt.Context()
		if s != nil {
			c = s.Context()
		}
		inner, outer := freerun.NewPromise[int](c), freerun.NewPromise[freerun.Future[int]](c)
		if !outer.Resolve(inner.Future(), nil) {
			t.Error("refused")
		}
		if _, err := outer.Future().Result(); !errors.Is(err, freerun.ErrWouldBlock) {
			t.Errorf("resolved before the future in it: %v", err)
		}
		inner.Resolve(3, nil)
		if n := runtimetest.Must(t, outer.Future()).Value(); n != 3 {
			t.Error(n)
		}
		type box struct{ f any }
		self := freerun.NewPromise[*box](c)
		if !self.Resolve(&box{self.Future()}, nil) {
			t.Error("refused")
		}
		if _, err := self.Future().Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCycle) {
			t.Errorf("waits for itself: %v", err)
		}
		if s != nil {
			if err := s.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCycle) {
				t.Errorf("the scope: %v", err)
			}
			s.Cancel(nil)
		}
	}
}

// TestPromiseScope: a scope waits for its promises, hears of their errors, and fails them when it
// is canceled.
func TestPromiseScope(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	s := rt.Scope(t.Context())
	p := freerun.NewPromise[int](s.Context())
	soon, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	if err := s.Wait(soon); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the scope does not wait: %v", err)
	}
	p.Resolve(1, nil)
	if err := s.Wait(runtimetest.Within(t)); err != nil {
		t.Error(err)
	}
	freerun.NewPromise[int](s.Context()).Resolve(0, errOutside)
	var failure *freerun.ScopeError
	if err := s.Wait(runtimetest.Within(t)); !errors.As(err, &failure) || failure.Err != errOutside || failure.Operation != "NewPromise in github.com/freerun-go/freerun_test.TestPromiseScope" {
		t.Errorf("%#v", err)
	}

	s = rt.Scope(t.Context())
	open, late := freerun.NewPromise[int](s.Context()), freerun.NewPromise[int](s.Context())
	ran := atomic.Bool{}
	then := freerun.Then(s.Context(), open.Future(), func(*freerun.Context, int) (int, error) { ran.Store(true); return 0, nil })
	s.Cancel(errOutside)
	if _, err := open.Future().Result(); !errors.Is(err, freerun.ErrCanceled) || !errors.Is(err, errOutside) {
		t.Errorf("canceled, and asked for: %v", err)
	}
	if open.Resolve(1, nil) || late.Resolve(1, nil) {
		t.Error("resolved after the scope was canceled")
	}
	for _, f := range []freerun.Future[int]{open.Future(), late.Future(), then} {
		if _, err := f.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCanceled) {
			t.Errorf("canceled, and %v", err)
		}
	}
	if err := s.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCanceled) || ran.Load() {
		t.Errorf("%v; ran: %v", err, ran.Load())
	}
	after := freerun.NewPromise[int](s.Context())
	if _, err := after.Future().Result(); !errors.Is(err, freerun.ErrCanceled) || after.Resolve(1, nil) {
		t.Errorf("made in a canceled scope: %v", err)
	}
	settled(t, rt, 5) // but the one that was refused
}

// TestPromiseCanceledUnasked: a canceled scope fails a promise for which only a message waits.
func TestPromiseCanceledUnasked(t *testing.T) {
	for name, how := range map[string]freerun.Option{"live": freerun.Processors(2), "deterministic": freerun.Deterministic(1)} {
		t.Run(name, func(t *testing.T) {
			rt, _ := runtimetest.Start(t, how)
			s := rt.Scope(t.Context())
			p := make(chan *freerun.Promise[int], 1)
			passed := freerun.Go(s.Context(), func(c *freerun.Context) (int, error) {
				own := freerun.NewPromise[int](c)
				p <- own
				return freerun.Forward(c, own.Future())
			})
			other := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) { return freerun.Forward(c, passed) })
			if name == "deterministic" {
				if err := rt.Quiesce(runtimetest.Within(t)); !errors.Is(err, freerun.ErrStalled) {
					t.Error(err)
				}
			}
			freerun.NewPromise[int](s.Context()) // nobody has its future
			own := <-p
			s.Cancel(errOutside)
			if _, err := other.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCanceled) {
				t.Errorf("%v", err)
			}
			if err := s.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCanceled) {
				t.Errorf("the scope: %v", err)
			}
			if err := rt.Quiesce(runtimetest.Within(t)); err != nil || own.Resolve(1, nil) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestPromiseEnd: a shutdown waits for promises, a close fails them.
func TestPromiseEnd(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	p := freerun.NewPromise[int](rt.Context())
	time.AfterFunc(5*time.Millisecond, func() { p.Resolve(1, nil) })
	if err := rt.Shutdown(runtimetest.Within(t)); err != nil {
		t.Error(err)
	}
	if v, err := p.Future().Result(); v != 1 || err != nil {
		t.Errorf("%d, %v", v, err)
	}
	refused := freerun.NewPromise[int](rt.Context())
	if _, err := refused.Future().Wait(t.Context()); !errors.Is(err, freerun.ErrClosed) || refused.Resolve(1, nil) {
		t.Errorf("made after the end: %v", err)
	}

	rt, _ = runtimetest.Start(t, freerun.Processors(2))
	asked, silent := freerun.NewPromise[int](rt.Context()), freerun.NewPromise[int](rt.Context())
	done := asked.Future().Done()
	soon, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	var left *freerun.ShutdownError
	if err := rt.Shutdown(soon); !errors.As(err, &left) || left.Abandoned != 2 {
		t.Errorf("%v, want two that were abandoned", err)
	}
	<-done
	if asked.Resolve(1, nil) || silent.Resolve(1, nil) {
		t.Error("resolved after the end")
	}
	for _, p := range []*freerun.Promise[int]{asked, silent} {
		if _, err := p.Future().Result(); !errors.Is(err, freerun.ErrClosed) {
			t.Errorf("after the end: %v", err)
		}
	}
}

// TestPromiseDeterministic: a promise is resolved between two waits of the goroutine that drives
// the runtime. One that nobody can resolve any more is a standstill, which is named.
func TestPromiseDeterministic(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Deterministic(1), freerun.Processors(2))
	p := freerun.NewPromise[int](rt.Context())
	twice := freerun.Then(rt.Context(), p.Future(), func(_ *freerun.Context, n int) (int, error) { return 2 * n, nil })
	_, err := twice.Wait(runtimetest.Within(t))
	if !errors.Is(err, freerun.ErrStalled) || !strings.Contains(err.Error(), "NewPromise in github.com/freerun-go/freerun_test.TestPromiseDeterministic") {
		t.Errorf("%v", err)
	}
	if err := rt.Quiesce(runtimetest.Within(t)); !errors.Is(err, freerun.ErrStalled) {
		t.Errorf("Quiesce: %v", err)
	}
	p.Resolve(4, nil)
	if n := runtimetest.Must(t, twice); n != 8 {
		t.Error(n)
	}
}

// TestPromiseTraced: a recording has the wait for a promise, and who made it.
func TestPromiseTraced(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	const d = 3 * time.Millisecond
	tr := traced(t, rt, func() {
		runtimetest.Must(t, freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
			p := freerun.NewPromise[int](c)
			time.AfterFunc(d, func() { p.Resolve(1, nil) })
			return freerun.Forward(c, freerun.Then(c, p.Future(), func(_ *freerun.Context, n int) (int, error) { return n, nil }))
		}))
	})
	a := recording.Analyze(tr)
	if a.Unknown != 0 || a.Span < int64(d) {
		t.Errorf("%d unknown, span %v; the wait was %v", a.Unknown, time.Duration(a.Span), d)
	}
}

func TestPromiseMisuse(t *testing.T) {
	var none *freerun.Promise[int]
	for what, f := range map[string]func(){
		"a nil context":         func() { freerun.NewPromise[int](nil) },
		"Future of nil":         func() { none.Future() },
		"Resolve of nil":        func() { none.Resolve(1, nil) },
		"Future of a zero one":  func() { new(freerun.Promise[int]).Future() },
		"Resolve of a zero one": func() { new(freerun.Promise[int]).Resolve(1, nil) },
	} {
		if text, ok := panics(f).(string); !ok || !strings.HasPrefix(text, "freerun: ") {
			t.Errorf("%s: %v", what, text)
		}
	}
}

func TestPromiseAllocatesOnce(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	if n := allocations(func() { freerun.NewPromise[int](rt.Context()).Resolve(1, nil) }); n != 1 {
		t.Errorf("%v allocations", n)
	}
}

// TestPromiseStress resolves each promise from two goroutines, while scopes are canceled and, in
// the end, the runtime closes: each future has one outcome, of the call that says so, and all are
// accounted for.
func TestPromiseStress(t *testing.T) {
	for round := range 20 {
		rt, _ := runtimetest.Start(t, freerun.Processors(2))
		const promises = 200
		var all sync.WaitGroup
		var wrong atomic.Int32
		for i := range promises {
			s := rt.Scope(context.Background())
			c := s.Context()
			if i%3 == 0 {
				c = rt.Context()
			}
			p := freerun.NewPromise[int](c)
			then := freerun.Then(c, p.Future(), func(_ *freerun.Context, n int) (int, error) { return n, nil })
			var won [3]atomic.Bool
			var three sync.WaitGroup
			for n := 1; n <= 2; n++ {
				three.Go(func() { won[n].Store(p.Resolve(n, nil)) })
			}
			if i%2 == 0 {
				three.Go(func() { s.Cancel(errOutside) })
			}
			all.Go(func() {
				three.Wait()
				v, err := p.Future().Wait(context.Background())
				switch {
				case won[1].Load() && won[2].Load(),
					err == nil && (v != 1 && v != 2 || !won[v].Load()),
					err != nil && (won[1].Load() || won[2].Load()),
					err != nil && !errors.Is(err, freerun.ErrCanceled) && !errors.Is(err, freerun.ErrClosed):
					wrong.Add(1)
				}
				if w, err := then.Wait(context.Background()); err == nil && w != v {
					wrong.Add(1)
				}
				s.Cancel(nil)
			})
			if i == promises/2 && round%2 == 0 {
				all.Go(func() { rt.Close() })
			}
		}
		all.Wait()
		if err := rt.Close(); wrong.Load() != 0 || round%2 == 1 && err != nil {
			t.Fatalf("round %d: %d outcomes are wrong; %v", round, wrong.Load(), err)
		}
		if s := rt.Stats(); s.Sent != s.Done {
			t.Fatalf("round %d: sent %d, done %d", round, s.Sent, s.Done)
		}
	}
}
