package nats_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/nats"
)

// slips has the identities under which the cashier has paid outside, by what was asked for.
var slips struct {
	sync.Mutex
	of map[string][]string
}

// payOutside pays, and then never has its effect.
var payOutside = freerun.Op("payOutside", func(c *freerun.Context, _ *note, what string) (int, error) {
	id, err := cluster.ID(c)
	if err != nil {
		return 0, err
	}
	slips.Lock()
	slips.of[what] = append(slips.of[what], id)
	slips.Unlock()
	panic("after the payment")
})

// TestIDsOfMessagesSentAgain holds that an operation that is sent again with its identity has the
// same one for services outside, through the log and beside it, and that others have one each.
func TestIDsOfMessagesSentAgain(t *testing.T) {
	t.Parallel()
	a := join(t, "slips", serve(t, nil), nats.Create(1), nats.Partitions(4))
	defer a.leave(t)
	slips.of = map[string][]string{}
	c := a.rt.Context()
	unit := notes.At(c, "cashier")
	for range 2 {
		_, _ = payOutside.Send(cluster.Once(c, "x"), unit, "logged").Wait(context.Background())
		_, _ = payOutside.Send(cluster.Direct(cluster.Once(c, "x")), unit, "logged").Wait(context.Background())
		_, _ = payOutside.Send(cluster.Once(c, "y"), unit, "other").Wait(context.Background())
		_, _ = payOutside.Send(c, unit, "without").Wait(context.Background())
	}
	slips.Lock()
	defer slips.Unlock()
	for what, want := range map[string]int{"logged": 1, "other": 1, "without": 2} {
		ids := slips.of[what]
		slices.Sort(ids)
		if different := len(slices.Compact(slices.Clone(ids))); different != want || len(ids) < 6 {
			t.Errorf("%s: %d identities in %q, want %d", what, different, ids, want)
		}
	}
	if slips.of["logged"][0] == slips.of["other"][0] {
		t.Error("two identities are one")
	}
}
