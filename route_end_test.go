package freerun_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/route"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// TestRouteCrash: a route that panics fails the message with a PanicError, unless it has decided
// before.
func TestRouteCrash(t *testing.T) {
	for _, decided := range []bool{false, true} {
		rt := runtimetest.Quiet(t)
		u := routed(rt, routeFunc(func(m route.Message) (route.Verdict, error) {
			if decided && m.Operation().Form != route.Several {
				m.Pass()
			}
			panic("crash")
		}))
		c, p := rt.Context(), freerun.NewPromise[int](rt.Context())
		check := func(way string, err error) {
			t.Helper()
			var failed *freerun.PanicError
			if decided && err != nil || !decided && (!errors.As(err, &failed) || failed.Value != "crash") {
				t.Errorf("%s, decided %v: %v", way, decided, err)
			}
		}
		f := routeAddFuture.Send(c, u, p.Future())
		p.Resolve(3, nil)
		_, err := f.Wait(runtimetest.Within(t))
		check("woken", err)
		f, _ = routeAdd.SendAfter(c, time.Microsecond, u, 3)
		_, err = f.Wait(runtimetest.Within(t))
		check("timer", err)
		check("Tell", routeAdd.Tell(c, u, 3))
		_, err = routeAdd.Call(t.Context(), u, 3)
		check("Call", err)
		_, err = freerun.Go(c, func(c *freerun.Context) (int, error) { return 0, routeAdd.Tell(c, u, 1) }).Wait(runtimetest.Within(t))
		check("inside", err)
		var failed *freerun.PanicError
		if err := routeBoth.Tell(c, u, freerun.NewUnit(rt, 0), 1); !errors.As(err, &failed) {
			t.Errorf("several: %v", err)
		}
		s := quiet(t, rt)
		// A goroutine that has passed a message may be about to panic: that of the timer is not
		// awaited.
		for ctx := runtimetest.Within(t); s.Panics < 6 && ctx.Err() == nil; s = quiet(t, rt) {
			time.Sleep(time.Millisecond)
		}
		if got := u.Stats().Operations; decided && got != 5 || !decided && got != 0 || s.Panics != 6 {
			t.Errorf("decided %v: %d operations, %d panics", decided, got, s.Panics)
		}
	}
}

// TestRouteGoexit: a route that ends its goroutine ends the program, with a word why.
func TestRouteGoexit(t *testing.T) {
	const child = "FREERUN_ROUTE_GOEXIT"
	if os.Getenv(child) != "" {
		rt := freerun.New()
		u := routed(rt, routeFunc(func(route.Message) (route.Verdict, error) { runtime.Goexit(); return route.Here, nil }), freerun.UnitName("u"))
		_ = routeAdd.Tell(rt.Context(), u, 3)
		return
	}
	if runtime.GOARCH == "wasm" {
		t.Skip("there are no processes")
	}
	c := exec.Command(os.Args[0], "-test.run=^TestRouteGoexit$")
	c.Env = append(os.Environ(), child+"=1")
	text, err := c.CombinedOutput()
	if err == nil || !strings.Contains(string(text), "freerun: the route of unit u has called runtime.Goexit") {
		t.Errorf("%v: %s", err, text)
	}
}

// TestRouteLimit: a message takes its place in a limited mailbox when it comes there.
func TestRouteLimit(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	d := &desk{}
	u := routed(rt, d, freerun.MailboxLimit(1, freerun.Reject))
	gate := runtimetest.NewGate()
	first := freerun.Do(rt.Context(), u, func(c *freerun.Context, _ *int) (int, error) { c.Block(gate.Pass); return 0, nil })
	d.take(t, 1)[0].Pass()
	<-gate.Entered
	f, g := routeAdd.Send(rt.Context(), u, 1), routeAdd.Send(rt.Context(), u, 1)
	_ = routeAdd.Tell(rt.Context(), u, 1)
	if u.Stats().Waiting != 0 {
		t.Errorf("%d wait", u.Stats().Waiting)
	}
	for _, m := range d.take(t, 3) {
		m.Pass()
	}
	if _, err := g.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrFull) {
		t.Error(err)
	}
	close(gate.Opened)
	runtimetest.Must(t, first)
	runtimetest.Must(t, f)
	quiet(t, rt)
	if lost := rt.LostMessages(); len(lost) != 1 || !errors.Is(lost[0].Err, freerun.ErrFull) {
		t.Errorf("lost %v", lost)
	}
}

// TestRouteScope: a scope waits for its messages that are elsewhere; canceled, it fails those with
// a future, and waits for the others. A decision that comes later decides nothing.
func TestRouteScope(t *testing.T) {
	rt := runtimetest.Quiet(t)
	type key struct{}
	for _, asked := range []bool{false, true} {
		for _, pass := range []bool{false, true} {
			d := &desk{}
			u := routed(rt, d)
			ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), key{}, 5), time.Hour)
			s := rt.Scope(ctx)
			f := routeAdd.Send(s.Context(), u, 3)
			then := freerun.Then(s.Context(), f, func(_ *freerun.Context, n int) (int, error) { return n, nil })
			if err := routeAdd.Tell(s.Context(), u, 3); err != nil {
				t.Fatal(err)
			}
			all := d.take(t, 2)
			if _, ok := all[0].Context().Deadline(); !ok || all[1].Context().Value(key{}) != 5 {
				t.Error("another context")
			}
			soon, end := context.WithCancel(t.Context())
			end()
			if err := s.Wait(soon); !errors.Is(err, context.Canceled) {
				t.Errorf("the scope does not wait: %v", err)
			}
			s.Cancel(errByRoute)
			if asked {
				if _, err := f.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCanceled) {
					t.Error(err)
				}
			}
			if _, err := then.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCanceled) || !errors.Is(err, errByRoute) {
				t.Error(err)
			}
			<-all[0].Context().Done()
			for i, m := range all {
				if pass {
					m.Pass()
				} else if m.Resolve(nil, nil) {
					t.Errorf("message %d was resolved", i)
				}
			}
			if _, err := f.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCanceled) {
				t.Error(err)
			}
			if err := s.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCanceled) {
				t.Error(err)
			}
			quiet(t, rt)
			if u.Stats().Operations != 0 && !pass {
				t.Error("it has run")
			}
			cancel()
		}
	}
}

// TestRouteCall: a Call that gives up leaves its message to the route, which has its deadline.
func TestRouteCall(t *testing.T) {
	rt := runtimetest.Quiet(t)
	d := &desk{}
	u := routed(rt, d)
	ctx, cancel := context.WithCancel(t.Context())
	var m route.Message
	var late sync.WaitGroup
	late.Go(func() {
		m = d.take(t, 1)[0]
		if m.Context() != ctx {
			t.Error("another context")
		}
		cancel()
	})
	if _, err := routeAdd.Call(ctx, u, 3); err != context.Canceled {
		t.Error(err)
	}
	late.Wait()
	if n := 7; *m.Arg().(*int) != 3 || m.Resolve(&n, nil) {
		t.Error("resolved after the Call has given up")
	}
	quiet(t, rt)
	late.Go(func() { n := 7; d.take(t, 1)[0].Resolve(&n, nil) })
	if got, err := routeAdd.Call(t.Context(), u, 3); got != 7 || err != nil {
		t.Errorf("%d, %v", got, err)
	}
	late.Wait()
}

// TestRouteEnd: a Shutdown waits for what is elsewhere, also for what a route passes on then; its
// deadline and a Close do not, and count it. A decision that comes later decides nothing.
func TestRouteEnd(t *testing.T) {
	for _, asked := range []bool{false, true} {
		for way := range 4 {
			rt := runtimetest.Quiet(t)
			d := &desk{}
			u := routed(rt, d)
			f := routeAdd.Send(rt.Context(), u, 3)
			if err := routeAdd.Tell(rt.Context(), u, 3); err != nil {
				t.Fatal(err)
			}
			all := d.take(t, 2)
			var end *freerun.ShutdownError
			switch way {
			case 0, 1:
				go func() {
					<-rt.Draining()
					for _, m := range all {
						if way == 0 {
							m.Resolve(nil, nil)
						} else {
							m.Pass()
						}
					}
				}()
				if err := rt.Shutdown(runtimetest.Within(t)); err != nil {
					t.Error(err)
				}
				if got, err := f.Wait(runtimetest.Within(t)); err != nil || got != 3*way {
					t.Errorf("%d, %v", got, err)
				}
				continue
			case 2:
				soon, cancel := context.WithCancel(t.Context())
				cancel()
				if err := rt.Shutdown(soon); !errors.As(err, &end) || end.Abandoned != 2 {
					t.Error(err)
				}
			case 3:
				if err := rt.Close(); !errors.As(err, &end) || end.Abandoned != 2 {
					t.Error(err)
				}
			}
			if asked {
				if _, err := f.Wait(runtimetest.Within(t)); err != freerun.ErrClosed {
					t.Error(err)
				}
			}
			if all[0].Resolve(nil, nil) || all[1].Resolve(nil, nil) {
				t.Error("decided after the end")
			}
			if _, err := f.Wait(runtimetest.Within(t)); err != freerun.ErrClosed {
				t.Error(err)
			}
			if s := rt.Stats(); s.Sent != s.Done {
				t.Errorf("sent %d, done %d", s.Sent, s.Done)
			}
		}
	}
	rt := runtimetest.Quiet(t)
	d := &desk{}
	f := routeAdd.Send(rt.Context(), routed(rt, d), 3)
	rt.Close()
	d.take(t, 1)[0].Pass()
	if _, err := f.Wait(runtimetest.Within(t)); err != freerun.ErrClosed {
		t.Errorf("passed on after the end: %v", err)
	}
}

// TestRouteDeterministic: in a deterministic runtime an operation decides, under all schedules; a
// message that is never decided is a standstill.
func TestRouteDeterministic(t *testing.T) {
	for seed := range uint64(20) {
		rt := runtimetest.Quiet(t, freerun.Deterministic(seed), freerun.Processors(2))
		d := &desk{}
		u, c := routed(rt, d), rt.Context()
		f, g := routeAdd.Send(c, u, 3), routeAdd.Send(c, u, 4)
		decided := freerun.Go(c, func(*freerun.Context) (int, error) {
			all := d.take(t, 2)
			n := 7
			all[1].Resolve(&n, nil)
			all[0].Pass()
			return 0, nil
		})
		runtimetest.Must(t, decided)
		if runtimetest.Must(t, f) != 3 || runtimetest.Must(t, g) != 7 {
			t.Error("another outcome")
		}
		s := rt.Scope(context.Background())
		h := routeAdd.Send(s.Context(), u, 3)
		if _, err := h.Wait(context.Background()); !errors.Is(err, freerun.ErrStalled) {
			t.Errorf("never decided: %v", err)
		}
		s.Cancel(nil)
		if _, err := h.Wait(context.Background()); !errors.Is(err, freerun.ErrCanceled) {
			t.Errorf("canceled: %v", err)
		}
		if err := rt.Quiesce(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

// TestRouteStress has many goroutines send to units whose route decides from other goroutines,
// twice, while scopes are canceled and the runtime ends: each message has one outcome.
func TestRouteStress(t *testing.T) {
	for round := range 20 {
		rt := runtimetest.Quiet(t, freerun.Processors(2))
		later := make(chan route.Message, 10_000)
		u := routed(rt, routeFunc(func(m route.Message) (route.Verdict, error) {
			switch *m.Arg().(*int) % 4 {
			case 0:
				return route.Here, nil
			case 1:
				return route.Here, errByRoute
			}
			later <- m
			return route.Elsewhere, nil
		}))
		var deciders, senders sync.WaitGroup
		for i := range 2 {
			deciders.Go(func() {
				for m := range later {
					var twice sync.WaitGroup
					twice.Go(func() { m.Resolve(m.NewResult(), nil) })
					if i == 0 {
						m.Pass()
					} else {
						m.Resolve(nil, errByRoute)
					}
					twice.Wait()
				}
			})
		}
		for g := range 3 {
			senders.Go(func() {
				s := rt.Scope(t.Context())
				defer s.Cancel(nil)
				var all []freerun.Future[int]
				for i := range 300 {
					all = append(all, routeAdd.Send(s.Context(), u, i))
					_ = routeAdd.Tell(rt.Context(), u, i)
				}
				if g == 0 {
					s.Cancel(errByRoute)
				}
				for _, f := range all {
					_, err := f.Wait(runtimetest.Within(t))
					if err != nil && err != errByRoute && !errors.Is(err, freerun.ErrCanceled) && !errors.Is(err, freerun.ErrClosed) {
						t.Error(err)
					}
				}
			})
		}
		if round%2 == 0 {
			senders.Wait()
			quiet(t, rt)
		}
		rt.Close()
		senders.Wait()
		close(later)
		deciders.Wait()
		if s := rt.Stats(); s.Sent < s.Done || round%2 == 0 && s.Sent != s.Done {
			t.Errorf("sent %d, done %d", s.Sent, s.Done)
		}
	}
}
