package freerun

import (
	"testing"
	"time"
)

var ticked = NewKind("ticked", func(c *Context, key int) (int, error) { return key, nil }, PassivateAfter(200*time.Millisecond), MaxActive(1))

// TestKeeperTicksAgain has a unit come back into an empty list, while it is in a bucket from
// before.
func TestKeeperTicksAgain(t *testing.T) {
	rt := New(Processors(1))
	defer rt.Close()
	c := rt.Context()
	u := ticked.At(c, 1)
	if _, err := Do(c, u, func(*Context, *int) (int, error) { return 0, nil }).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	x := u.unit.ext.Load().keyed()
	look := func(fn func(c *Context, k *keeper) bool) bool {
		yes, err := Do(c, ticked.in(rt).keeper, func(c *Context, k *keeper) (bool, error) { return fn(c, k), nil }).Wait(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return yes
	}
	look(func(_ *Context, k *keeper) bool { k.remove(&u.unit); return true })
	for look(func(_ *Context, k *keeper) bool { return k.ticking }) {
		time.Sleep(time.Millisecond)
	}
	look(func(c *Context, k *keeper) bool {
		if !x.waits {
			t.Error("the unit is in no bucket")
		}
		k.add(c, &u.unit, false)
		return true
	})
	for deadline := time.Now().Add(4 * time.Second); ticked.Len(rt) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the unit has stayed active")
		}
	}
}
