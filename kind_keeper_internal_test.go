package freerun

import (
	"testing"
	"time"
)

var ticked = NewKind("ticked", func(c *Context, key int) (int, error) { return key, nil }, PassivateAfter(200*time.Millisecond), MaxActive(1))

// TestKeeperTicksOn has the list become empty while a unit is in a bucket: the keeper looks at it
// all the same.
func TestKeeperTicksOn(t *testing.T) {
	rt := New(Processors(1))
	defer rt.Close()
	c := rt.Context()
	u := ticked.At(c, 1)
	for waits := false; !waits; { // again if it was idle before the keeper was asked
		if _, err := Do(c, u, func(*Context, *int) (int, error) { return 0, nil }).Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		var err error
		waits, err = Do(c, ticked.in(rt).keeper, func(_ *Context, k *keeper) (bool, error) {
			k.remove(&u.unit)
			return u.unit.ext.Load().keyed().waits, nil
		}).Wait(t.Context())
		if err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(time.Minute); ticked.Len(rt) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the unit has stayed active")
		}
	}
}
