package httpview

import (
	"fmt"
	"strings"
	"testing"

	"github.com/freerun-go/freerun"
)

var shelves = freerun.NewKind[string, int]("shelf", func(*freerun.Context, string) (int, error) { return 0, nil }, freerun.MaxActive(20))

// TestKinds: the frame has the kinds of the runtime, with their busiest keys, and none of those of
// another one.
func TestKinds(t *testing.T) {
	rt, other := start(t), start(t)
	long := strings.Repeat("x", 2*mostText)
	for i, key := range []string{"a", "b", long, "d", "e", "f", "g", "h", "i", "j"} {
		u := shelves.At(rt.Context(), key)
		for range 3 - min(i, 2) {
			if _, err := freerun.Do(rt.Context(), u, func(*freerun.Context, *int) (int, error) { return 0, nil }).Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	all := frameOf(t, get(t, Handler(rt), "/live.json").Body.Bytes()).Kinds
	if len(all) != 1 || all[0].Name != "httpview.shelf" || all[0].Active != 10 || all[0].Activations != 10 || all[0].Most != 20 {
		t.Fatalf("%+v", all)
	}
	hot := all[0].Busiest
	if len(hot) != shownKeys || fmt.Sprint(hot[:2]) != "[{a 3} {b 2}]" || len(hot[2].Text) > mostText+len("…") {
		t.Errorf("the busiest keys are %+v", hot)
	}
	if all := newView(other, "test").see(sample{}).Kinds; len(all) != 0 {
		t.Errorf("another runtime has %+v", all)
	}
}
