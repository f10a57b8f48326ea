package cluster_test

import (
	"fmt"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// TestKeysLoop holds that a loop of Keys has each unit once, in order, while it writes to all of
// them, and to others, and that it may close the node.
func TestKeysLoop(t *testing.T) {
	rt, n, _ := start(t, t.TempDir())
	c := rt.Context()
	const units = 1100 // some parts
	var all []freerun.Future[int]
	for i := range units {
		all = append(all, deposit.Send(c, accounts.At(c, fmt.Sprintf("k%04d", i)), 1))
	}
	for _, f := range all {
		must(t, f)
	}
	next := 0
	for key, err := range cluster.Keys(n, accounts, "k") {
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("k%04d", next); key != want {
			t.Fatalf("the key is %s, want %s", key, want)
		}
		next++
		must(t, deposit.Send(c, accounts.At(c, key), 1))
		must(t, deposit.Send(c, accounts.At(c, "a"+key), 1))
		if next == units {
			if err := n.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if next != units {
		t.Errorf("the loop has had %d units, of %d", next, units)
	}
}
