package freerun_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/route"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// severalWays are the ways in which a message comes to several units, of which u has a route.
var severalWays = []struct {
	name string
	told bool
	send func(c *freerun.Context, u, plain *freerun.Unit[int]) (f freerun.Future[int], err error)
}{
	{"Op2", false, func(c *freerun.Context, u, plain *freerun.Unit[int]) (freerun.Future[int], error) {
		return routeBoth.Send(c, plain, u, 1), nil
	}},
	{"Op2 in a scope", false, func(c *freerun.Context, u, plain *freerun.Unit[int]) (freerun.Future[int], error) {
		return routeBoth.Send(c.Runtime().Scope(context.Background()).Context(), u, plain, 1), nil
	}},
	{"Call", false, func(c *freerun.Context, u, plain *freerun.Unit[int]) (freerun.Future[int], error) {
		p := freerun.NewPromise[int](c)
		go func() { p.Resolve(routeBoth.Call(context.Background(), u, plain, 1)) }()
		return p.Future(), nil
	}},
	{"OpAll", false, func(c *freerun.Context, u, plain *freerun.Unit[int]) (freerun.Future[int], error) {
		return routeAll.Send(c, []*freerun.Unit[int]{u, plain, freerun.NewUnit(c.Runtime(), 0)}, 1), nil
	}},
	{"Tell", true, func(c *freerun.Context, u, plain *freerun.Unit[int]) (freerun.Future[int], error) {
		return freerun.Future[int]{}, routeBoth.Tell(c, u, plain, 1)
	}},
	{"Tells", true, func(c *freerun.Context, u, _ *freerun.Unit[int]) (freerun.Future[int], error) {
		return freerun.Future[int]{}, routeAll.Tell(c, []*freerun.Unit[int]{u}, 1)
	}},
	{"When2", false, func(c *freerun.Context, u, plain *freerun.Unit[int]) (freerun.Future[int], error) {
		return freerun.When2(c, u, plain, func(_ *freerun.Context, a, b *int) (int, error) {
			*a, *b = *a+1, *b+1
			return *a + *b, nil
		}), nil
	}},
}

// TestRouteSeveral: what is sent to several units is run if their routes have it stay, and fails if
// one refuses it.
func TestRouteSeveral(t *testing.T) {
	refusal := error(nil)
	var forms []route.Form
	rt, _ := runtimetest.Start(t)
	u := routed(rt, routeFunc(func(m route.Message) (route.Verdict, error) {
		if m.Operation().Form == route.Run {
			return route.Here, nil
		}
		forms = append(forms, m.Operation().Form)
		return route.Here, refusal
	}))
	plain, c := freerun.NewUnit(rt, 0), rt.Context()
	for _, way := range severalWays {
		for _, refusal = range []error{nil, errByRoute} {
			forms = nil
			f, err := way.send(c, u, plain)
			if !way.told {
				_, err = f.Wait(runtimetest.Within(t))
			}
			quiet(t, rt)
			if !slices.Equal(forms, []route.Form{route.Several}) || !errors.Is(err, refusal) {
				t.Errorf("%s: asked for %v; %v, want %v", way.name, forms, err, refusal)
			}
		}
	}
	refusal = nil
	if got := runtimetest.Must(t, routeAdd.Send(c, u, 0)); got != 5 { // all but routeAll
		t.Errorf("the unit has %d", got)
	}
}

// TestRouteSeveralElsewhere: a message to several units is elsewhere until the route resolves it,
// or passes it on: then it comes to all of them.
func TestRouteSeveralElsewhere(t *testing.T) {
	for _, end := range []string{"resolve", "fail", "pass", "at once"} {
		for _, way := range severalWays {
			rt := runtimetest.Quiet(t)
			d := &desk{}
			u, plain := routed(rt, d), freerun.NewUnit(rt, 0)
			if end == "at once" {
				u = routed(rt, routeFunc(func(m route.Message) (route.Verdict, error) {
					n := 7
					if m.Operation().Form == route.Several && (!m.Resolve(&n, nil) || m.Pass() || m.Resolve(nil, nil)) {
						t.Errorf("%s: not resolved once", way.name)
					}
					return route.Elsewhere, nil
				}))
			}
			f, told := way.send(rt.Context(), u, plain)
			want, why := 7, error(nil)
			if end != "at once" {
				m := d.take(t, 1)[0]
				if m.Told() != way.told || m.Ahead() || m.Operation().Form != route.Several || !slices.ContainsFunc(m.Units(), func(a route.Addressee) bool { return a.Route == route.Route(d) }) {
					t.Errorf("%s: %v, %v, to %v", way.name, m.Told(), m.Operation(), m.Units())
				}
				switch n := 7; end {
				case "resolve":
					if !m.Resolve(&n, nil) || m.Resolve(nil, errByRoute) || m.Pass() {
						t.Errorf("%s: not resolved once", way.name)
					}
				case "fail":
					if why = errByRoute; !m.Resolve(nil, errByRoute) || m.Resolve(&n, nil) {
						t.Errorf("%s: not resolved once", way.name)
					}
				default:
					if want = 2; strings.HasPrefix(way.name, "OpAll") {
						want = 3
					}
					if !m.Pass() || m.Pass() || m.Resolve(&n, nil) {
						t.Errorf("%s: not passed once", way.name)
					}
				}
			}
			if told != nil {
				t.Errorf("%s, %s: %v", end, way.name, told)
			}
			if !way.told {
				if got, err := f.Wait(runtimetest.Within(t)); !errors.Is(err, why) || err == nil && got != want {
					t.Errorf("%s, %s: %d, %v", end, way.name, got, err)
				}
			}
			s := quiet(t, rt)
			ran := uint64(0)
			if end == "pass" {
				ran = 1
			}
			if got := u.Stats().Operations; uint64(got) != ran {
				t.Errorf("%s, %s: %d operations on the unit", end, way.name, got)
			}
			if lost := rt.LostMessages(); (len(lost) == 1) != (end == "fail" && way.told) {
				t.Errorf("%s, %s: lost %v, %+v", end, way.name, lost, s)
			}
		}
	}
}

// TestRouteSeveralPlaced: a message that was passed on, and waits in the mailboxes of its units,
// may still be asked for them.
func TestRouteSeveralPlaced(t *testing.T) {
	for _, way := range severalWays {
		if way.name == "Tells" {
			continue // it is to one unit, which has nothing else to do
		}
		rt := runtimetest.Quiet(t)
		d, gate := &desk{}, make(chan struct{})
		u, plain := routed(rt, d), freerun.NewUnit(rt, 0)
		freerun.Do(rt.Context(), plain, func(*freerun.Context, *int) (int, error) {
			<-gate
			return 0, nil
		})
		if _, err := way.send(rt.Context(), u, plain); err != nil {
			t.Errorf("%s: %v", way.name, err)
		}
		m := d.take(t, 1)[0]
		n := len(m.Units())
		if passed := m.Pass(); !passed || n < 2 || len(m.Units()) != n {
			t.Errorf("%s: passed on: %v, to %d units, and then %v", way.name, passed, n, m.Units())
		}
		close(gate)
		quiet(t, rt)
	}
}

// TestRouteSeveralRoutes: the first route that does not have a message stay decides.
func TestRouteSeveralRoutes(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	var asked []string
	at := func(name string, v route.Verdict) *freerun.Unit[int] {
		return routed(rt, routeFunc(func(m route.Message) (route.Verdict, error) {
			asked = append(asked, name)
			if v == route.Elsewhere {
				m.Resolve(nil, nil)
			}
			return v, nil
		}))
	}
	a, b, d := at("a", route.Here), at("b", route.Elsewhere), at("d", route.Here)
	runtimetest.Must(t, routeAll.Send(rt.Context(), []*freerun.Unit[int]{a, b, d}, 1))
	if !slices.Equal(asked, []string{"a", "b"}) || a.Stats().Operations+b.Stats().Operations+d.Stats().Operations != 0 {
		t.Errorf("asked %v", asked)
	}
}

// TestRouteSeveralScope: a message to several units that is elsewhere fails when its scope is
// canceled, or its Call gives up, or the runtime ends. A decision that comes later decides nothing.
func TestRouteSeveralScope(t *testing.T) {
	rt := runtimetest.Quiet(t)
	d := &desk{}
	u, plain := routed(rt, d), freerun.NewUnit(rt, 0)
	scope := rt.Scope(t.Context())
	f := routeBoth.Send(scope.Context(), u, plain, 1)
	m := d.take(t, 1)[0]
	scope.Cancel(errByRoute)
	if _, err := f.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCanceled) || m.Resolve(nil, nil) {
		t.Errorf("canceled: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	called := make(chan error, 1)
	go func() {
		_, err := routeBoth.Call(ctx, plain, u, 1)
		called <- err
	}()
	m = d.take(t, 1)[0]
	cancel()
	if err := <-called; err != context.Canceled || m.Resolve(nil, nil) {
		t.Errorf("given up: %v", err)
	}
	quiet(t, rt)
	f = routeBoth.Send(rt.Context(), u, plain, 1)
	m = d.take(t, 1)[0]
	_ = rt.Close()
	if _, err := f.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrClosed) || m.Resolve(nil, nil) || u.Stats().Operations != 0 {
		t.Errorf("at the end: %v", err)
	}
}

// TestRouteSeveralAhead: routes are asked twice about what an operation sends to several units, if
// its outcome is kept back: at the send, of which nothing comes but an error, and when it leaves.
func TestRouteSeveralAhead(t *testing.T) {
	for _, why := range []error{nil, errByRoute} {
		rt, _ := runtimetest.Start(t)
		var ahead []bool
		to := routed(rt, routeFunc(func(m route.Message) (route.Verdict, error) {
			if ahead = append(ahead, m.Ahead()); m.Ahead() {
				return route.Elsewhere, why
			}
			n := 7
			m.Resolve(&n, nil)
			return route.Elsewhere, nil
		}))
		h := &holder{}
		u := freerun.NewUnit(rt, 0, freerun.Intercept(h.around))
		var f freerun.Future[int]
		freerun.Do(rt.Context(), u, func(c *freerun.Context, _ *int) (int, error) {
			f = routeBoth.Send(c, to, freerun.NewUnit(rt, 0), 1)
			return 0, nil
		})
		behind(t, rt, u)
		h.take(t, 1)[0].Release(nil)
		_, err := f.Wait(runtimetest.Within(t))
		quiet(t, rt)
		want := []bool{true, false}
		if why != nil {
			want = want[:1]
		}
		if !slices.Equal(ahead, want) || !errors.Is(err, why) {
			t.Errorf("asked %v, want %v: %v", ahead, want, err)
		}
	}
}

// TestDeliverSeveral: what a store sends to several units comes to all of them at once, with its
// mark, and their routes are not asked.
func TestDeliverSeveral(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	marks := make(chan any, 1)
	theShelf.set(func(s *shelfStore) {
		s.around = func(c *freerun.Context, i *freerun.Invocation) error {
			marks <- routing.Mark(i)
			return i.Next(c)
		}
		s.decide = func(m route.Message) (route.Verdict, error) {
			if m.Operation().Form == route.Several {
				t.Error("the route is asked")
			}
			return route.Here, nil
		}
	})
	at := func(name string) route.Place {
		return route.Place{Kind: freerun.NameOf(shelved), Key: func(key any) error { *key.(*string) = name; return nil }}
	}
	done := make(chan error, 1)
	add := func(arg any) error { *arg.(*int) = 5; return nil }
	for _, o := range []struct {
		of string
		to []route.Place
	}{
		{freerun.NameOf(routeBoth), []route.Place{at("a"), at("b")}},
		{freerun.NameOf(routeAll), []route.Place{at("a")}},
		{freerun.NameOf(routeAll), []route.Place{at("a"), at("b")}},
		{freerun.NameOf(routeAll), []route.Place{at("c"), at("b"), at("a")}},
	} {
		if err := routing.Deliver(rt, &route.Delivery{To: o.to, Operation: o.of, Arg: add, Mark: o.of, Done: func(_ any, err error) { done <- err }}); err != nil {
			t.Fatal(err)
		}
		if m, err := <-marks, <-done; m != o.of || err != nil {
			t.Errorf("%s: mark %v, %v", o.of, m, err)
		}
	}
	for _, name := range []string{"a", "b"} {
		f := shelvedAdd.Send(rt.Context(), shelved.At(rt.Context(), name), 0)
		if m, got := <-marks, runtimetest.Must(t, f); m != nil || got != 105 {
			t.Errorf("%s: mark %v, %d", name, m, got)
		}
	}
	for want, d := range map[string]*route.Delivery{
		"is on 2 units, and was delivered to 1": {To: []route.Place{at("a")}, Operation: freerun.NameOf(routeBoth)},
		"is on 1 units, and was delivered to 0": {Operation: freerun.NameOf(routeAll)},
		freerun.ErrSameUnit.Error():             {To: []route.Place{at("a"), at("a")}, Operation: freerun.NameOf(routeBoth)},
		"the argument of":                       {To: []route.Place{at("a"), at("b")}, Operation: freerun.NameOf(routeBoth), Arg: func(any) error { return errByRoute }},
	} {
		if d.Arg == nil {
			d.Arg = add
		}
		if err := routing.Deliver(rt, d); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	quiet(t, rt)
}
