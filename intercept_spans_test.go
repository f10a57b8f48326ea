package freerun_test

import (
	"runtime"
	"slices"
	"testing"
	"weak"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
	"github.com/freerun-go/freerun/internal/spans"
)

var (
	spanSeam = spans.For[*freerun.Invocation]()

	spanDrawers = freerun.NewKind[string, int]("spanDrawer", func(*freerun.Context, string) (int, error) { return 0, nil })
	spanPair    = freerun.Op2("spanPair", func(*freerun.Context, *int, *int, int) (int, error) { return 0, nil })
	spanFree    = freerun.FreeOp("spanFree", func(*freerun.Context, int) (int, error) { return 0, nil })
	spanSum     = freerun.FreeOp("spanSum", func(_ *freerun.Context, of []freerun.Future[int]) (int, error) { return len(of), nil })
)

// TestSpanUnits: an interceptor learns on which units an operation runs, in the order of its
// arguments, and of which kinds they are.
func TestSpanUnits(t *testing.T) {
	var seen []spans.Unit
	rt, _ := runtimetest.Start(t, freerun.InterceptAll(func(c *freerun.Context, i *freerun.Invocation) error {
		for n := 0; ; n++ {
			u, is := spanSeam.Unit(i, n)
			if !is {
				return i.Next(c)
			}
			seen = append(seen, u)
		}
	}))
	c := rt.Context()
	ada := freerun.NewUnit(rt, 0, freerun.UnitName("ada"))
	bob := spanDrawers.At(c, "bob (the elder)")
	asAda := spans.Unit{Name: "ada"}
	asBob := spans.Unit{Name: "freerun_test.spanDrawer(bob (the elder))", Kind: "freerun_test.spanDrawer", Key: "bob (the elder)"}
	for _, x := range []struct {
		send func() freerun.Future[int]
		want []spans.Unit
	}{
		{func() freerun.Future[int] { return icAdd.Send(c, ada, 1) }, []spans.Unit{asAda}},
		{func() freerun.Future[int] { return icAdd.Send(c, freerun.NewUnit(rt, 0), 1) }, []spans.Unit{{}}},
		{func() freerun.Future[int] { return icAdd.Send(c, bob, 1) }, []spans.Unit{asBob}},
		{func() freerun.Future[int] { return spanFree.Send(c, 1) }, nil},
		{func() freerun.Future[int] { return spanPair.Send(c, bob, ada, 1) }, []spans.Unit{asBob, asAda}},
	} {
		runtimetest.Must(t, x.send())
		if !slices.Equal(seen, x.want) {
			t.Errorf("the units are %v, want %v", seen, x.want)
		}
		seen = nil
	}
}

// TestSigns: what an interceptor signs a future with, the interceptor of an operation finds that
// gets the future; the message of a Tell has none. The signature keeps no scope.
func TestSigns(t *testing.T) {
	var found []any
	rt, _ := runtimetest.Start(t, freerun.Processors(1), freerun.InterceptAll(func(c *freerun.Context, i *freerun.Invocation) error {
		found = spanSeam.Signs(i)
		if spanSeam.Answers(i) {
			spanSeam.Sign(i, i.Unit())
		}
		return i.Next(c)
	}))
	s := rt.Scope(t.Context())
	ada, bob := freerun.NewUnit(rt, 0, freerun.UnitName("ada")), freerun.NewUnit(rt, 0, freerun.UnitName("bob"))
	given := []freerun.Future[int]{icAdd.Send(s.Context(), ada, 1), freerun.Resolved(5), icAdd.Send(rt.Context(), bob, 1)}
	for _, c := range []*freerun.Context{s.Context(), rt.Context()} {
		if n := runtimetest.Must(t, spanSum.Send(c, given)); n != 3 || !slices.Equal(found, []any{"ada", "bob"}) {
			t.Errorf("%d futures were signed by %v", n, found)
		}
	}
	if err := s.Wait(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	watched := weak.Make(s)
	s.Cancel(nil)
	s = nil
	for range 100 {
		if runtime.GC(); watched.Value() == nil {
			runtime.KeepAlive(given)
			return
		}
	}
	t.Error("the scope is still there")
}
