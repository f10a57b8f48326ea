package freerun_test

import (
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

var hot = freerun.NewKind("hot", func(c *freerun.Context, key int) (int, error) { return key, nil })

func TestKindHottest(t *testing.T) {
	t.Parallel()
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	c := rt.Context()
	const keys = 50
	for key := range keys { // a number of its own for each: 7 and 51 have no factor in common
		for range key*7%51 + 1 {
			peek.Tell(c, hot.At(c, key), struct{}{})
		}
	}
	if err := rt.Quiesce(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := map[int]uint64{}
	for key := range keys {
		want[key] = uint64(key*7%51 + 1)
	}
	for _, n := range []int{0, 1, 7, keys, keys + 10} {
		got := hot.Hottest(rt, n)
		if len(got) != min(n, keys) {
			t.Fatalf("%d of %d", len(got), n)
		}
		for i, e := range got {
			if e.Operations != want[e.Key] || i > 0 && e.Operations >= got[i-1].Operations {
				t.Errorf("%d. is %+v, want %d", i, e, want[e.Key])
			}
		}
		if n > 0 && got[0].Operations != 51 {
			t.Errorf("the hottest is %+v", got[0])
		}
	}
	hot.Stop(c, hot.Hottest(rt, 1)[0].Key).Wait(t.Context())
	if got := hot.Hottest(rt, keys); len(got) != keys-1 {
		t.Errorf("%d are active", len(got))
	}
	defer func() {
		if recover() == nil {
			t.Error("-1 is no panic")
		}
	}()
	hot.Hottest(rt, -1)
}
