package cluster

import (
	"context"
	"testing"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// TestLoadLate holds that the end of a write that comes late has a unit load nothing while its next
// write is under way: the unit was loaded after the first, has left with the second, and is to be
// loaded again.
func TestLoadLate(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	l := &lagging{fickle: newFickle(map[string][]byte{}, sound), held: make(chan func(), 4), failed: make(chan struct{})}
	holds := func([]engine.Write) bool { return true }
	l.hold.Store(&holds)
	rt, n := joined(t, l)
	c := rt.Context()
	first := carry.Send(c, purseAt(c, 0), move{Coins: 5, ID: 1})
	write := <-l.held
	l.hold.Store(nil)
	stopped := purses.Stop(c, purseKey(0))
	second := carry.Send(c, purseAt(c, 0), move{Coins: 1, ID: 2})
	if _, err := stopped.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	u, err := seam.Find(rt, n.stored["purse"].name, func(key any) error { return n.stored["purse"].readKey(purseKey(0), key) })
	if err != nil {
		t.Fatal(err)
	}
	unit := u.Local().(*cell)
	for unit.withRare().loads.Load() == nil { // it waits to be loaded
		time.Sleep(time.Millisecond)
	}
	unit.loadNow() // the late end
	time.Sleep(10 * time.Millisecond)
	write()
	if coins, err := first.Wait(ctx); coins != 5 || err != nil {
		t.Errorf("the first: %d, %v", coins, err)
	}
	if coins, err := second.Wait(ctx); coins != 6 || err != nil {
		t.Errorf("the second has not seen the first: %d, %v", coins, err)
	}
	end(t, rt, n)
}
