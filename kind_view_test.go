package freerun_test

import (
	"slices"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/kindview"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

var (
	viewedShelves = freerun.NewKind[int, int]("viewedShelf", func(*freerun.Context, int) (int, error) { return 0, nil }, freerun.MaxActive(50))
	viewedDesks   = freerun.NewKind[string, int]("viewedDesk", func(*freerun.Context, string) (int, error) { return 0, nil })
)

// TestKindView: a page is told of the kinds that its runtime has used, by their names, with the
// figures of Kind.Stats and the keys of Kind.Hottest.
func TestKindView(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	other, _ := runtimetest.Start(t)
	if all := kindview.Of(rt, 3); len(all) != 0 {
		t.Fatalf("before the first use: %+v", all)
	}
	c := rt.Context()
	for key := range 5 {
		for range 10 * (key + 1) {
			runtimetest.Must(t, icAdd.Send(c, viewedShelves.At(c, key), 1))
		}
	}
	runtimetest.Must(t, icAdd.Send(c, viewedDesks.At(c, "ada's desk"), 1))
	runtimetest.Must(t, viewedShelves.Stop(c, 0))
	runtimetest.Must(t, icAdd.Send(other.Context(), viewedDesks.At(other.Context(), "bob's desk"), 1))

	all := kindview.Of(rt, 3)
	if len(all) != 2 || all[0].Name != "freerun_test.viewedDesk" || all[1].Name != "freerun_test.viewedShelf" {
		t.Fatalf("the kinds are %+v", all)
	}
	s, want := all[1], viewedShelves.Stats(rt)
	if s.Active != 4 || s.Active != want.Active || s.Activations != want.Activations || s.Passivations != 1 || s.Failures != 0 || s.Evictions != 0 || s.Most != 50 {
		t.Errorf("%+v, want %+v", s, want)
	}
	var keys []string
	for i, k := range s.Busiest {
		keys = append(keys, k.Text)
		if hot := viewedShelves.Hottest(rt, 3)[i]; hot.Operations != k.Operations {
			t.Errorf("key %s has run %d operations, want %d", k.Text, k.Operations, hot.Operations)
		}
	}
	if !slices.Equal(keys, []string{"4", "3", "2"}) {
		t.Errorf("the busiest keys are %v", keys)
	}
	if d := all[0]; d.Active != 1 || d.Most != 0 || len(d.Busiest) != 1 || d.Busiest[0].Text != "ada's desk" {
		t.Errorf("%+v", d)
	}
}
