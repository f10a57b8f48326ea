package freerun_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/route"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// holder is an interceptor that keeps back the outcome of each operation.
type holder struct {
	mu   sync.Mutex
	held []route.Held
	seen func(c *freerun.Context, i *freerun.Invocation, h route.Held) // nil: nothing
}

func (x *holder) around(c *freerun.Context, i *freerun.Invocation) error {
	h := routing.Hold(i)
	x.mu.Lock()
	x.held = append(x.held, h)
	x.mu.Unlock()
	if x.seen != nil {
		x.seen(c, i, h)
	}
	return i.Next(c)
}

// take returns the held outcomes of n operations, which have begun.
func (x *holder) take(t *testing.T, n int) []route.Held {
	t.Helper()
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.held) != n {
		t.Fatalf("%d outcomes are kept back, want %d", len(x.held), n)
	}
	all := x.held
	x.held = nil
	return all
}

// behind waits until all has run that was sent to u before, and stops u.
func behind(t *testing.T, rt *freerun.Runtime, u *freerun.Unit[int]) {
	t.Helper()
	for within := runtimetest.Within(t); u.Stats().Operations == 0; {
		if within.Err() != nil {
			t.Fatal("it does not run")
		}
		time.Sleep(time.Millisecond)
	}
	runtimetest.Must(t, freerun.Stop(rt.Context(), u))
}

// TestHeld: an outcome is kept back until Release, which alone decides it; the unit goes on
// meanwhile.
func TestHeld(t *testing.T) {
	testHeld(t, func(_ *freerun.Runtime, h route.Held, err error) bool { return h.Release(err) })
}

// TestHeldReleasedInAnOperation is TestHeld with Seam.Release: in an operation, and, with a context
// that is no operation's, elsewhere.
func TestHeldReleasedInAnOperation(t *testing.T) {
	testHeld(t, func(rt *freerun.Runtime, h route.Held, err error) bool {
		return runtimetest.Must(t, freerun.Go(rt.Context(), func(c *freerun.Context) (bool, error) { return routing.Release(c, h, err), nil }))
	})
	testHeld(t, func(rt *freerun.Runtime, h route.Held, err error) bool { return routing.Release(rt.Context(), h, err) })
}

func testHeld(t *testing.T, release func(rt *freerun.Runtime, h route.Held, err error) bool) {
	for i, way := range ways {
		for _, why := range []error{nil, errByRoute} {
			rt, _ := runtimetest.Start(t)
			s := rt.Scope(t.Context())
			for _, c := range []*freerun.Context{rt.Context(), s.Context()} {
				x := &holder{}
				u := freerun.NewUnit(rt, 0, freerun.Intercept(x.around))
				f, err := way.send(c, u)
				if err != nil {
					t.Fatal(err)
				}
				behind(t, rt, u)
				soon, cancel := context.WithCancel(t.Context())
				cancel()
				if err := rt.Quiesce(soon); !errors.Is(err, context.Canceled) {
					t.Errorf("%s: the runtime does not wait: %v", way.name, err)
				}
				if c == s.Context() {
					s.Cancel(nil) // it has begun: the scope waits for it
				}
				h := x.take(t, 1)[0]
				if h.Waits() {
					t.Errorf("%s waits", way.name)
				}
				if !way.told {
					if _, err := f.Result(); !errors.Is(err, freerun.ErrWouldBlock) {
						t.Errorf("%s: known: %v", way.name, err)
					}
				}
				if !release(rt, h, why) || release(rt, h, nil) || release(rt, h, errByRoute) {
					t.Errorf("%s: released twice", way.name)
				}
				if !way.told {
					want := 3
					if way.form == route.Read || why != nil {
						want = 0
					}
					if got, err := f.Wait(runtimetest.Within(t)); got != want || err != why {
						t.Errorf("%s: %d, %v", way.name, got, err)
					}
				}
				quiet(t, rt)
				if lost := rt.LostMessages(); ways[i].told && why != nil && c == rt.Context() && (len(lost) != 1 || lost[0].Err != why) {
					t.Errorf("%s: lost %v", way.name, lost)
				}
			}
			if err := s.Wait(runtimetest.Within(t)); why == nil && err != nil && !errors.Is(err, freerun.ErrCanceled) && !errors.Is(err, context.Canceled) {
				t.Errorf("%s: the scope: %v", way.name, err)
			}
		}
	}
}

// TestHeldEarly: a Release before the operation has returned has the outcome known at its return.
func TestHeldEarly(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	x := &holder{seen: func(_ *freerun.Context, _ *freerun.Invocation, h route.Held) {
		if h.Waits() || !h.Release(nil) {
			t.Error("not released")
		}
	}}
	u := freerun.NewUnit(rt, 0, freerun.Intercept(x.around))
	if got := runtimetest.Must(t, routeAdd.Send(rt.Context(), u, 3)); got != 3 {
		t.Error(got)
	}
	if err := routeAdd.Tell(rt.Context(), u, 3); err != nil {
		t.Error(err)
	}
	quiet(t, rt)
	for _, h := range x.take(t, 2) {
		if h.Release(nil) {
			t.Error("released twice")
		}
	}
}

// TestHeldTwice: a second interceptor cannot keep the outcome back, nor can one that has returned.
func TestHeldTwice(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	x := &holder{}
	u := freerun.NewUnit(rt, 0, freerun.Intercept(x.around), freerun.Intercept(x.around))
	var failed *freerun.PanicError
	if _, err := routeAdd.Send(rt.Context(), u, 1).Wait(runtimetest.Within(t)); !errors.As(err, &failed) {
		t.Error(err)
	}
	if x.take(t, 1)[0].Release(nil) {
		t.Error("released, and has panicked")
	}
	quiet(t, rt)
}

// TestHeldPanic: a panic is the outcome at once, unless an interceptor recovers it.
func TestHeldPanic(t *testing.T) {
	runtimetest.OnSome(t, func(t *testing.T, processors int) {
		rt, _ := runtimetest.Start(t, freerun.Processors(processors))
		x, recovers := &holder{}, false
		u := freerun.NewUnit(rt, 0, freerun.Intercept(func(c *freerun.Context, i *freerun.Invocation) (err error) {
			defer func() {
				if v := recover(); v != nil {
					if !recovers {
						panic(v)
					}
					err = errByRoute
				}
			}()
			return x.around(c, i)
		}))
		crash := func() freerun.Future[int] {
			return freerun.Do(rt.Context(), u, func(*freerun.Context, *int) (int, error) { panic("crash") })
		}
		var failed *freerun.PanicError
		if _, err := crash().Wait(runtimetest.Within(t)); !errors.As(err, &failed) || failed.Value != "crash" {
			t.Error(err)
		}
		if x.take(t, 1)[0].Release(nil) {
			t.Error("released, and has panicked")
		}
		recovers = true
		f := crash()
		behind(t, rt, u)
		if _, err := f.Result(); !errors.Is(err, freerun.ErrWouldBlock) {
			t.Error(err)
		}
		x.take(t, 1)[0].Release(nil)
		if _, err := f.Result(); err != errByRoute {
			t.Error(err)
		}
		quiet(t, rt)
	})
}

// TestHeldSeveral: the units of an operation on several go on while its outcome is kept back.
func TestHeldSeveral(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	x := &holder{}
	a, b := freerun.NewUnit(rt, 1, freerun.Intercept(x.around)), freerun.NewUnit(rt, 2)
	f := routeBoth.Send(rt.Context(), a, b, 1)
	if err := routeBoth.Tell(rt.Context(), b, a, 1); err != nil {
		t.Fatal(err)
	}
	if got := runtimetest.Must(t, routeAdd.Send(rt.Context(), b, 0)); got != 4 {
		t.Error(got)
	}
	behind(t, rt, a)
	for _, h := range x.take(t, 2) {
		h.Release(nil)
	}
	if got := runtimetest.Must(t, f); got != 5 {
		t.Error(got)
	}
	quiet(t, rt)
}

// TestHeldForward: an outcome that is another future's, or holds one, tells so, and comes when that
// has its own.
func TestHeldForward(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	x, p := &holder{}, freerun.NewPromise[int](rt.Context())
	u := freerun.NewUnit(rt, 0, freerun.Intercept(x.around))
	f := freerun.Do(rt.Context(), u, func(c *freerun.Context, _ *int) (int, error) { return freerun.Forward(c, p.Future()) })
	g := freerun.Do(rt.Context(), u, func(*freerun.Context, *int) (freerun.Future[int], error) { return p.Future(), nil })
	behind(t, rt, u)
	for _, h := range x.take(t, 2) {
		if !h.Waits() || !h.Release(nil) || h.Waits() {
			t.Error("it does not wait")
		}
	}
	if _, err := f.Result(); !errors.Is(err, freerun.ErrWouldBlock) {
		t.Error(err)
	}
	p.Resolve(5, nil)
	if runtimetest.Must(t, f) != 5 || runtimetest.Must(t, g).Value() != 5 {
		t.Error("another outcome")
	}
	quiet(t, rt)
}

// padded is a state behind which there is padding.
type padded struct {
	a byte
	b [3]uint64
}

var paddedKind = freerun.NewKind("paddedKind", func(*freerun.Context, int) (padded, error) { return padded{}, nil })

// TestHeldState: the interceptor reads and writes the state, of a plain unit with a route and of a
// unit of a kind.
func TestHeldState(t *testing.T) {
	here := routeFunc(func(route.Message) (route.Verdict, error) { return route.Here, nil })
	look := freerun.Intercept(func(c *freerun.Context, i *freerun.Invocation) error {
		if s, ok := routing.State(i).(*padded); !ok {
			t.Errorf("the state is a %T", routing.State(i))
		} else {
			s.a++
		}
		return i.Next(c)
	})
	rt, _ := runtimetest.Start(t)
	c := rt.Context()
	k := paddedKind
	k.Configure(rt, routing.Option(here), look)
	for _, u := range []*freerun.Unit[padded]{k.At(c, 1), freerun.NewUnit(rt, padded{}, routing.Option(here), look)} {
		got := runtimetest.Must(t, freerun.Do(c, u, func(_ *freerun.Context, s *padded) (padded, error) { s.b[2] = 7; return *s, nil }))
		if got != (padded{1, [3]uint64{0, 0, 7}}) {
			t.Errorf("%v", got)
		}
	}
	plain := freerun.NewUnit(rt, 1, freerun.Intercept(func(c *freerun.Context, i *freerun.Invocation) error {
		if s := routing.State(i); s != nil {
			t.Errorf("a state without a route: %v", s)
		}
		return i.Next(c)
	}))
	runtimetest.Must(t, routeAdd.Send(c, plain, 1))
}

// TestHeldSender: a route learns what keeps the sender back, also of what the sender sends after
// Block, and through another context; not of what others send.
func TestHeldSender(t *testing.T) {
	runtimetest.OnSome(t, func(t *testing.T, processors int) {
		rt, _ := runtimetest.Start(t, freerun.Processors(processors))
		var mu sync.Mutex
		senders := map[int]any{}
		to := routed(rt, routeFunc(func(m route.Message) (route.Verdict, error) {
			mu.Lock()
			defer mu.Unlock()
			senders[*m.Arg().(*int)] = nil
			if h := m.Sender(); h != nil {
				senders[*m.Arg().(*int)] = h.Get()
			}
			return route.Here, nil
		}))
		x := &holder{seen: func(_ *freerun.Context, _ *freerun.Invocation, h route.Held) { h.Set("the sender") }}
		u := freerun.NewUnit(rt, 0, freerun.Intercept(x.around))
		f := freerun.Do(rt.Context(), u, func(c *freerun.Context, _ *int) (int, error) {
			err := errors.Join(routeAdd.Tell(c, to, 1), routeAdd.Tell(rt.Context(), to, 2))
			c.Block(func() { err = errors.Join(err, routeAdd.Tell(c, to, 3)) })
			err = errors.Join(err, routeAdd.Tell(c, to, 4))
			done := make(chan struct{})
			c.Block(func() {
				go func() { err = errors.Join(err, routeAdd.Tell(rt.Context(), to, 5)); close(done) }()
				<-done
			})
			return 0, err
		})
		behind(t, rt, u)
		x.take(t, 1)[0].Release(nil)
		runtimetest.Must(t, f)
		other := freerun.NewUnit(rt, 0)
		runtimetest.Must(t, freerun.Do(rt.Context(), other, func(c *freerun.Context, _ *int) (int, error) { return 0, routeAdd.Tell(c, to, 6) }))
		quiet(t, rt)
		for i := 1; i <= 6; i++ {
			if want := any("the sender"); i > 4 && senders[i] != nil || i <= 4 && senders[i] != want {
				t.Errorf("the sender of %d: %v", i, senders[i])
			}
		}
	})
}

// TestHeldEnd: a Shutdown waits for what is kept back, and its deadline and a Close do not; then a
// Release decides nothing.
func TestHeldEnd(t *testing.T) {
	for _, told := range []bool{false, true} {
		for way := range 3 {
			rt := runtimetest.Quiet(t)
			x := &holder{}
			u := freerun.NewUnit(rt, 0, freerun.Intercept(x.around))
			var f freerun.Future[int]
			if told {
				_ = routeAdd.Tell(rt.Context(), u, 3)
			} else {
				f = routeAdd.Send(rt.Context(), u, 3)
			}
			behind(t, rt, u)
			h := x.take(t, 1)[0]
			var end *freerun.ShutdownError
			switch way {
			case 0:
				go func() {
					<-rt.Draining()
					h.Release(nil)
				}()
				if err := rt.Shutdown(runtimetest.Within(t)); err != nil {
					t.Error(err)
				}
			case 1:
				soon, cancel := context.WithCancel(t.Context())
				cancel()
				if err := rt.Shutdown(soon); !errors.As(err, &end) || end.Abandoned != 1 {
					t.Error(err)
				}
			case 2:
				if err := rt.Close(); !errors.As(err, &end) || end.Abandoned != 1 {
					t.Error(err)
				}
			}
			if way > 0 && h.Release(nil) != told {
				t.Error("released after the end")
			}
			if !told {
				got, err := f.Wait(runtimetest.Within(t))
				if way == 0 && (got != 3 || err != nil) || way > 0 && err != freerun.ErrClosed {
					t.Errorf("way %d: %d, %v", way, got, err)
				}
			}
		}
	}
}
