//go:build !wasm

package cluster_test

import (
	"errors"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// promised is an argument that holds a future.
type promised struct{ By freerun.Future[int] }

var (
	later2         = freerun.FreeOp("later2", func(_ *freerun.Context, n int) (int, error) { return n, nil })
	depositPromise = freerun.Op("depositPromise", func(c *freerun.Context, a *account, p promised) (int, error) {
		n, err := p.By.Result()
		a.Balance += n
		return a.Balance, err
	})
	// promises has futures for operations of the test, which no argument can hold while they are
	// open.
	promises = map[string]freerun.Future[int]{}
	passesOn = freerun.Op("passesOn", func(c *freerun.Context, a *account, how string) (int, error) {
		a.Balance++
		to, p := accounts.At(c, how), promised{promises[how]}
		switch how {
		case "kept", "caught":
			p.By = later2.Send(c, 5) // which leaves after the write
		case "resolved":
			p.By = freerun.Resolved(5)
		}
		switch how {
		case "sent":
			_, err := depositPromise.Send(c, to, p).Result()
			return 0, err
		case "asked":
			return 0, cluster.Ask(c, depositPromise, to, p, passedOn)
		}
		err := depositPromise.Tell(c, to, p)
		if how == "caught" && errors.Is(err, cluster.ErrForwarded) {
			return a.Balance, nil
		}
		return a.Balance, err
	})
	passedOn = freerun.Op("passedOn", func(*freerun.Context, *account, cluster.Answer[promised, int]) (int, error) { return 0, nil })
	readsOn  = freerun.ReadOp("readsOn", func(c *freerun.Context, _ *account, how string) (int, error) {
		return 0, depositPromise.Tell(c, accounts.At(c, how), promised{promises[how]})
	})
	tillsPass = freerun.Op2("tillsPass", func(c *freerun.Context, a, b *till, how string) (int, error) {
		return 0, depositPromise.Tell(c, accounts.At(c, how), promised{promises[how]})
	})
)

// TestTellWaits holds that an operation of a durable unit cannot tell a durable unit of an open
// future, which no record can hold; and that all others can.
func TestTellWaits(t *testing.T) {
	rt, _, _ := start(t, t.TempDir())
	c := rt.Context()
	var open []*freerun.Promise[int]
	for _, how := range []string{"open", "sent", "asked", "read", "two", "outside"} {
		p := freerun.NewPromise[int](c)
		open, promises[how] = append(open, p), p.Future()
	}
	u := accounts.At(c, "passes")
	for how, want := range map[string]error{
		"open": cluster.ErrForwarded, "kept": cluster.ErrForwarded, "sent": cluster.ErrWithin, "asked": cluster.ErrNotDurable, "caught": nil, "resolved": nil,
	} {
		if _, err := passesOn.Send(c, u, how).Wait(within(t)); !errors.Is(err, want) {
			t.Errorf("%s: %v", how, err)
		}
	}
	_, err := tillsPass.Send(c, tills.At(c, "{p}/1"), tills.At(c, "{p}/2"), "two").Wait(within(t))
	if !errors.Is(err, cluster.ErrForwarded) {
		t.Errorf("by two units: %v", err)
	}
	must(t, readsOn.Send(c, u, "read")) // a read has no record
	f := depositPromise.Send(c, accounts.At(c, "outside"), promised{promises["outside"]})
	for _, p := range open {
		p.Resolve(5, nil)
	}
	must(t, f)
	settle(t, rt)
	for how, want := range map[string]int{
		"open": 100, "kept": 100, "sent": 100, "asked": 100, "caught": 100, "two": 100, "resolved": 105, "read": 105, "outside": 105,
		"passes": 106, // an error undoes nothing
	} {
		if got := must(t, balance.Send(c, accounts.At(c, how), struct{}{})); got != want {
			t.Errorf("%s has %d, want %d", how, got, want)
		}
	}
	if s := rt.Stats(); s.Lost != 0 {
		t.Errorf("%d lost", s.Lost)
	}
}
