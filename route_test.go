package freerun_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/route"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

var routing = route.For[freerun.UnitOption, freerun.KindOption, *freerun.Context, *freerun.Invocation]()

// routeFunc is a function as a route.
type routeFunc func(m route.Message) (route.Verdict, error)

func (f routeFunc) Decide(m route.Message) (route.Verdict, error) { return f(m) }

// desk is a route that keeps each message.
type desk struct {
	mu   sync.Mutex
	kept []route.Message
}

func (d *desk) Decide(m route.Message) (route.Verdict, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept = append(d.kept, m)
	return route.Elsewhere, nil
}

// take waits until the desk has n messages, and takes them from it.
func (d *desk) take(t *testing.T, n int) []route.Message {
	t.Helper()
	for within := runtimetest.Within(t); ; runtime.Gosched() {
		d.mu.Lock()
		if len(d.kept) >= n {
			all := d.kept
			d.kept = nil
			d.mu.Unlock()
			if len(all) > n {
				t.Fatalf("%d messages, want %d", len(all), n)
			}
			return all
		}
		d.mu.Unlock()
		if within.Err() != nil {
			t.Fatalf("no %d messages have come", n)
		}
	}
}

func routed(rt *freerun.Runtime, r route.Route, options ...freerun.UnitOption) *freerun.Unit[int] {
	return freerun.NewUnit(rt, 0, append(options, routing.Option(r))...)
}

var (
	errByRoute = errors.New("refused by the route")

	routeAdd = freerun.Op("routeAdd", func(_ *freerun.Context, s *int, n int) (int, error) {
		*s += n
		return *s, nil
	})
	routeAddFuture = freerun.Op("routeAddFuture", func(_ *freerun.Context, s *int, n freerun.Future[int]) (int, error) {
		*s += n.Value()
		return *s, nil
	})
	routeNote = freerun.Op("routeNote", func(_ *freerun.Context, s *[]int, n int) (int, error) {
		*s = append(*s, n)
		return n, nil
	})
	routeGive = freerun.Op("routeGive", func(*freerun.Context, *int, struct{}) (freerun.Future[int], error) { return freerun.Resolved(1), nil })
	routeKind = freerun.NewKind("routeKind", func(*freerun.Context, string) (int, error) { return 10, nil })

	routeGet  = freerun.ReadOp("routeGet", func(_ *freerun.Context, s *int, _ struct{}) (int, error) { return *s, nil })
	routeBoth = freerun.Op2("routeBoth", func(_ *freerun.Context, a, b *int, n int) (int, error) {
		*a, *b = *a+n, *b+n
		return *a + *b, nil
	})
	routeAll = freerun.OpAll("routeAll", func(_ *freerun.Context, all []*int, n int) (int, error) { return len(all), nil })
)

// ways are the ways in which a message comes to one unit, with the form of each and the result of
// an addition of 3 to 0, or of reading 0. A way without a future has a nil f.
var ways = []struct {
	name  string
	form  route.Form
	named bool
	arg   any
	told  bool
	send  func(c *freerun.Context, u *freerun.Unit[int]) (f freerun.Future[int], err error)
}{
	{"Send", route.Run, true, 3, false, func(c *freerun.Context, u *freerun.Unit[int]) (freerun.Future[int], error) {
		return routeAdd.Send(c, u, 3), nil
	}},
	{"Tell", route.Run, true, 3, true, func(c *freerun.Context, u *freerun.Unit[int]) (freerun.Future[int], error) {
		return freerun.Future[int]{}, routeAdd.Tell(c, u, 3)
	}},
	{"SendAfter", route.Run, true, 3, false, func(c *freerun.Context, u *freerun.Unit[int]) (freerun.Future[int], error) {
		f, _ := routeAdd.SendAfter(c, time.Microsecond, u, 3)
		return f, nil
	}},
	{"future", route.Run, true, nil, false, func(c *freerun.Context, u *freerun.Unit[int]) (freerun.Future[int], error) {
		p := freerun.NewPromise[int](c)
		defer p.Resolve(3, nil)
		return routeAddFuture.Send(c, u, p.Future()), nil
	}},
	{"told future", route.Run, true, nil, true, func(c *freerun.Context, u *freerun.Unit[int]) (freerun.Future[int], error) {
		p := freerun.NewPromise[int](c)
		defer p.Resolve(3, nil)
		return freerun.Future[int]{}, routeAddFuture.Tell(c, u, p.Future())
	}},
	{"Do", route.Run, false, nil, false, func(c *freerun.Context, u *freerun.Unit[int]) (freerun.Future[int], error) {
		return freerun.Do(c, u, func(_ *freerun.Context, s *int) (int, error) { *s += 3; return *s, nil }), nil
	}},
	{"ReadOp", route.Read, true, struct{}{}, false, func(c *freerun.Context, u *freerun.Unit[int]) (freerun.Future[int], error) {
		return routeGet.Send(c, u, struct{}{}), nil
	}},
	{"Read", route.Read, false, nil, false, func(c *freerun.Context, u *freerun.Unit[int]) (freerun.Future[int], error) {
		return freerun.Read(c, u, func(_ *freerun.Context, s *int) (int, error) { return *s, nil }), nil
	}},
}

// eachWay calls f for each way, without a scope, in one, with a priority, and from an operation.
func eachWay(t *testing.T, f func(t *testing.T, rt *freerun.Runtime, way int, send func(u *freerun.Unit[int]) (freerun.Future[int], error))) {
	runtimetest.OnSome(t, func(t *testing.T, processors int) {
		for i, way := range ways {
			t.Run(way.name, func(t *testing.T) {
				rt, _ := runtimetest.Start(t, freerun.Processors(processors))
				s := rt.Scope(t.Context())
				defer s.Cancel(nil)
				for _, c := range []*freerun.Context{rt.Context(), s.Context(), s.Context().WithPriority(freerun.High)} {
					f(t, rt, i, func(u *freerun.Unit[int]) (freerun.Future[int], error) { return way.send(c, u) })
				}
				f(t, rt, i, func(u *freerun.Unit[int]) (f freerun.Future[int], err error) {
					f, err = freerun.Future[int]{}, nil
					_, inside := freerun.Go(s.Context(), func(c *freerun.Context) (int, error) {
						f, err = way.send(c, u)
						return 0, nil
					}).Wait(runtimetest.Within(t))
					return f, errors.Join(err, inside)
				})
			})
		}
	})
}

// quiet fails the test unless all that was sent is done.
func quiet(t *testing.T, rt *freerun.Runtime) freerun.Stats {
	t.Helper()
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	s := rt.Stats()
	if s.Sent != s.Done {
		t.Errorf("sent %d, done %d", s.Sent, s.Done)
	}
	return s
}

// sentHere sends a message in one of the ways, and holds that it runs as if there was no route.
func sentHere(t *testing.T, rt *freerun.Runtime, way int, send func() (freerun.Future[int], error)) {
	t.Helper()
	w := ways[way]
	f, err := send()
	if err != nil {
		t.Fatal(err)
	}
	if !w.told {
		want := 3
		if w.form == route.Read {
			want = 0
		}
		if got := runtimetest.Must(t, f); got != want {
			t.Errorf("%d, want %d", got, want)
		}
	}
	quiet(t, rt)
}

// TestRouteHere: a message that the route sends here runs as if there was no route, and the route
// is told what it is.
func TestRouteHere(t *testing.T) {
	eachWay(t, func(t *testing.T, rt *freerun.Runtime, way int, send func(u *freerun.Unit[int]) (freerun.Future[int], error)) {
		w, asked := ways[way], 0
		u := routed(rt, routeFunc(func(m route.Message) (route.Verdict, error) {
			asked++
			op := m.Operation()
			if op.Form != w.form || (op.Name != "") != w.named || m.Told() != w.told || m.Key() != nil || m.Sender() != nil {
				t.Errorf("asked for %v, told %v, key %v, sender %v", op, m.Told(), m.Key(), m.Sender())
			}
			if n, ok := m.Arg().(*int); ok && *n != w.arg {
				t.Errorf("argument %d", *n)
			}
			if f, ok := m.Arg().(*freerun.Future[int]); ok && f.Value() != 3 {
				t.Errorf("argument %d", f.Value())
			}
			return route.Here, nil
		}))
		sentHere(t, rt, way, func() (freerun.Future[int], error) { return send(u) })
		if asked != 1 {
			t.Errorf("asked %d times", asked)
		}
	})
}

// quickRoute is a route that says first whether messages stay here.
type quickRoute struct {
	routeFunc
	stays func(op *route.Operation, sender route.Held) bool
}

func (q quickRoute) Stays(op *route.Operation, sender route.Held) bool { return q.stays(op, sender) }

// TestRouteStays: a message that stays runs as if there was no route; for another one the route is
// asked as ever.
func TestRouteStays(t *testing.T) {
	for _, stays := range []bool{true, false} {
		eachWay(t, func(t *testing.T, rt *freerun.Runtime, way int, send func(u *freerun.Unit[int]) (freerun.Future[int], error)) {
			w, looks, asked := ways[way], 0, 0
			u := routed(rt, quickRoute{
				func(route.Message) (route.Verdict, error) {
					asked++
					return route.Here, nil
				},
				func(op *route.Operation, sender route.Held) bool {
					if looks++; op.Form != w.form || (op.Name != "") != w.named || sender != nil {
						t.Errorf("looks at %v, sender %v", op, sender)
					}
					return stays
				},
			})
			sentHere(t, rt, way, func() (freerun.Future[int], error) { return send(u) })
			if looks != 1 || (asked == 0) != stays {
				t.Errorf("looks %d times, and asked %d times", looks, asked)
			}
		})
	}
}

// TestRouteRefuses: a refusal is the error of the Tell, or of the future.
func TestRouteRefuses(t *testing.T) {
	eachWay(t, func(t *testing.T, rt *freerun.Runtime, way int, send func(u *freerun.Unit[int]) (freerun.Future[int], error)) {
		u := routed(rt, routeFunc(func(route.Message) (route.Verdict, error) { return route.Elsewhere, errByRoute }))
		before := rt.Stats()
		f, err := send(u)
		if !ways[way].told {
			_, err = f.Wait(runtimetest.Within(t))
		}
		after := quiet(t, rt)
		if ways[way].name == "told future" { // the sender has gone on: it is lost
			if lost := rt.LostMessages(); err != nil || len(lost) == 0 || lost[len(lost)-1].Err != errByRoute {
				t.Errorf("%v, lost %v", err, lost)
			}
		} else if !errors.Is(err, errByRoute) {
			t.Errorf("%v", err)
		}
		if after.Failed != before.Failed+1 || u.Stats().Operations != 0 {
			t.Errorf("failed %d, ran %d", after.Failed-before.Failed, u.Stats().Operations)
		}
	})
}

// TestRouteElsewhere: the first decision counts: a result, an error, or that the message comes to
// the unit. Until then all wait for it.
func TestRouteElsewhere(t *testing.T) {
	seven := 7
	eachWay(t, func(t *testing.T, rt *freerun.Runtime, way int, send func(u *freerun.Unit[int]) (freerun.Future[int], error)) {
		for decision := range 4 {
			d := &desk{}
			u := routed(rt, d)
			before := rt.Stats()
			f, err := send(u)
			if err != nil {
				t.Fatal(err)
			}
			m := d.take(t, 1)[0]
			soon, cancel := context.WithCancel(t.Context())
			cancel()
			if err := rt.Quiesce(soon); !errors.Is(err, context.Canceled) {
				t.Errorf("the runtime does not wait: %v", err)
			}
			want, wantErr, ran := 0, error(nil), uint64(0)
			var decided bool
			switch decision {
			case 0:
				want, decided = 7, m.Resolve(&seven, nil)
			case 1:
				decided = m.Resolve(nil, nil)
			case 2:
				wantErr, decided = errByRoute, m.Resolve(&seven, errByRoute)
			case 3:
				ran, decided = 1, m.Pass()
				if ways[way].form == route.Run {
					want = 3
				}
			}
			if !decided || m.Resolve(&seven, nil) || m.Resolve(nil, errByRoute) || m.Pass() {
				t.Errorf("decided %v, or twice", decided)
			}
			if !ways[way].told {
				if got, err := f.Wait(runtimetest.Within(t)); got != want || err != wantErr {
					t.Errorf("decision %d: %d, %v", decision, got, err)
				}
			}
			after := quiet(t, rt)
			if u.Stats().Operations != ran || after.Failed-before.Failed != 0 && wantErr == nil {
				t.Errorf("decision %d: ran %d, failed %d", decision, u.Stats().Operations, after.Failed-before.Failed)
			}
			if ways[way].told && wantErr != nil {
				if lost := rt.LostMessages(); len(lost) == 0 || lost[len(lost)-1].Err != wantErr {
					t.Errorf("lost %v", lost)
				}
			}
		}
	})
}

// TestRouteMistyped: a result of another type than that of the operation is an error that names
// both, not a wrong value.
func TestRouteMistyped(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	d := &desk{}
	f := routeAdd.Send(rt.Context(), routed(rt, d), 1)
	m := d.take(t, 1)[0]
	if _, ok := m.NewResult().(*int); !ok {
		t.Errorf("a result is a %T", m.NewResult())
	}
	if s := "7"; !m.Resolve(&s, nil) {
		t.Error("not decided")
	}
	if _, err := f.Wait(runtimetest.Within(t)); err == nil || err.Error() != "freerun: the route of "+freerun.NameOf(routeAdd)+" resolves it with a *string, where a *int is its result" {
		t.Error(err)
	}
}

// TestRouteFutures: a result that holds an open future is waited for.
func TestRouteFutures(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	d := &desk{}
	f := routeGive.Send(rt.Context(), routed(rt, d), struct{}{})
	p := freerun.NewPromise[int](rt.Context())
	result := p.Future()
	d.take(t, 1)[0].Resolve(&result, nil)
	if _, err := f.Result(); !errors.Is(err, freerun.ErrWouldBlock) {
		t.Errorf("%v", err)
	}
	p.Resolve(5, nil)
	if got := runtimetest.Must(t, f).Value(); got != 5 {
		t.Error(got)
	}
	quiet(t, rt)
}

// TestRouteOrder: the route sees the messages of a sender in the order of sending; what it passes
// on runs in the order of passing.
func TestRouteOrder(t *testing.T) {
	runtimetest.OnSome(t, func(t *testing.T, processors int) {
		rt, _ := runtimetest.Start(t, freerun.Processors(processors))
		d := &desk{}
		u := freerun.NewUnit(rt, []int(nil), routing.Option(d))
		const n = 500
		for i := range n {
			if i%3 == 0 {
				routeNote.Send(rt.Context(), u, i)
			} else if err := routeNote.Tell(rt.Context(), u, i); err != nil {
				t.Fatal(err)
			}
		}
		for i, m := range d.take(t, n) {
			if got := *m.Arg().(*int); got != i {
				t.Fatalf("message %d has come as number %d", got, i)
			}
			if !m.Pass() {
				t.Error("not passed")
			}
		}
		quiet(t, rt)
		f := freerun.Do(rt.Context(), u, func(_ *freerun.Context, s *[]int) ([]int, error) { return *s, nil })
		d.take(t, 1)[0].Pass()
		if got := runtimetest.Must(t, f); len(got) != n || !slices.IsSorted(got) {
			t.Errorf("ran as %v", got)
		}
	})
}

// TestRouteControl: Stop and Watch ask the route, as operations of the runtime itself; what the
// runtime stops at its end, or as it is idle, does not.
func TestRouteControl(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	var mu sync.Mutex
	var names []string
	far := false
	r := routeFunc(func(m route.Message) (route.Verdict, error) {
		mu.Lock()
		defer mu.Unlock()
		if m.Operation().Form != route.Control {
			return route.Here, nil
		}
		names = append(names, m.Operation().Name)
		if far {
			stopped := true
			m.Resolve(&stopped, nil)
			return route.Elsewhere, nil
		}
		return route.Here, nil
	})
	ended := 0
	k := routeKind
	k.Configure(rt, routing.Option(r),
		freerun.PassivateAfter(time.Millisecond), freerun.OnStop(func(*freerun.Context, string, *int) { mu.Lock(); ended++; mu.Unlock() }))
	u := routed(rt, r, freerun.OnEnd(func(*freerun.Context, *int) { mu.Lock(); ended++; mu.Unlock() }))
	c := rt.Context()
	idle := make(chan struct{}, 1)
	runtimetest.Must(t, routeAdd.Send(c, routed(rt, r, freerun.OnIdle(time.Millisecond, func(*freerun.Context, *freerun.Unit[int], *int) {
		idle <- struct{}{}
	})), 1))
	<-idle // the look is none of the program's
	far = true
	if !runtimetest.Must(t, freerun.Stop(c, u)) || u.Stats().Operations != 0 {
		t.Error("stopped here")
	}
	mu.Lock()
	far = false
	mu.Unlock()
	runtimetest.Must(t, routeAdd.Send(c, k.At(c, "idle"), 1))
	watched := freerun.Watch(c, k.At(c, "idle"))
	if e := runtimetest.Must(t, watched); e.Err != nil {
		t.Error(e.Err)
	}
	for within := runtimetest.Within(t); k.Len(rt) > 0 && within.Err() == nil; runtime.Gosched() {
	}
	runtimetest.Must(t, routeAdd.Send(c, k.At(c, "a"), 1))
	runtimetest.Must(t, k.Stop(c, "a"))
	runtimetest.Must(t, routeAdd.Send(c, k.At(c, "b"), 1))
	if err := rt.Shutdown(runtimetest.Within(t)); err != nil {
		t.Error(err)
	}
	mu.Lock()
	defer mu.Unlock()
	stop := strings.TrimSuffix(freerun.NameOf(routeAdd), "routeAdd") + "routeKind.stop"
	want := []string{"github.com/freerun-go/freerun.unit.stop", "github.com/freerun-go/freerun.unit.watch", stop}
	if !slices.Equal(names, want) || ended != 4 {
		t.Errorf("asked for %q, ended %d", names, ended)
	}
}

// TestRouteKeepsNoUnit has all messages of a kind go elsewhere, or be refused: its units are
// collected.
func TestRouteKeepsNoUnit(t *testing.T) {
	for _, refused := range []error{nil, errByRoute} {
		rt, _ := runtimetest.Start(t)
		routeKind.Configure(rt, routing.Option(routeFunc(func(m route.Message) (route.Verdict, error) {
			if refused == nil {
				m.Resolve(new(int), nil)
			}
			return route.Elsewhere, refused
		})))
		for i := range 100 {
			if _, err := routeAdd.Send(rt.Context(), routeKind.At(rt.Context(), fmt.Sprint(i)), 1).Wait(t.Context()); !errors.Is(err, refused) {
				t.Fatal(err)
			}
		}
		awaitNoResidents(t, func() int { return freerun.Residents(routeKind, rt) })
	}
}

// TestRouteKey: the route of a kind learns the key.
func TestRouteKey(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	d := &desk{}
	k, c := routeKind, rt.Context()
	k.Configure(rt, routing.Option(d))
	f := routeAdd.Send(c, k.At(c, "ada"), 1)
	m := d.take(t, 1)[0]
	if m.Key() != "ada" || k.Len(rt) != 0 {
		t.Errorf("key %v, %d active", m.Key(), k.Len(rt))
	}
	m.Pass()
	if got := runtimetest.Must(t, f); got != 11 {
		t.Error(got)
	}
}
