package clustertest

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// account is the state of the units of a bank.
type account struct {
	Balance int
	Got     map[int]int // transfer → amount
}

type transfer struct {
	ID, To, Amount int
	trouble
}

var (
	accounts = freerun.NewKind("account", func(*freerun.Context, int) (account, error) {
		return account{Balance: 100, Got: map[int]int{}}, nil
	}, cluster.Durable(), freerun.PassivateAfter(50*time.Millisecond))
	transferTo = freerun.Op("transfer", func(c *freerun.Context, a *account, t transfer) (int, error) {
		if a.Balance < t.Amount {
			return 0, errPoor
		}
		a.Balance -= t.Amount
		return a.Balance, receive.Tell(c, accounts.At(c, t.To), t)
	})
	receive = freerun.Op("receive", func(c *freerun.Context, a *account, t transfer) (int, error) {
		a.Balance += t.Amount
		a.Got[t.ID] += t.Amount
		return t.comes(c, new(book), "receive", t.ID)
	})
	statement = freerun.ReadOp("statement", func(_ *freerun.Context, a *account, _ struct{}) (account, error) { return *a, nil })
	errPoor   = errors.New("insufficient funds")
)

// TestTransfers holds that money is neither lost nor made: what is in the accounts, and in failures
// that are recorded, is what there was; and all is in the accounts once the failures were retried.
func TestTransfers(t *testing.T) {
	const n, total = 4, 4 * 100
	retried, runs := 0, 0
	Run(t, Options{Seeds: ourSeeds}, func(s *Sim) {
		runs++
		tried.Clear()
		known := map[int]freerun.Future[int]{}
		for rt := range s.Lives() {
			c := rt.Context()
			for range s.Count(30) {
				x := transfer{ID: len(known) + 1, To: s.Random().IntN(n), Amount: s.Random().IntN(60)}
				switch s.Random().IntN(15) {
				case 0:
					x.Panics = s.Random().IntN(4)
				case 1:
					x.Ends = s.Random().IntN(3) == 0
				}
				known[x.ID] = transferTo.Send(c, accounts.At(c, s.Random().IntN(n)), x)
				if s.Random().IntN(5) == 0 {
					_, _ = freerun.After(c, time.Duration(s.Random().IntN(60))*time.Millisecond).Wait(s.Context())
				}
			}
		}
		rt, node := s.Last()
		for range 3 { // what is retried may fail again, as it panics three times in a process
			failures, recorded := failuresOf(s, node)
			if sum, _ := balances(s, rt, n); sum+recorded != total {
				s.Errorf("there are %d in accounts and %d in failures, of %d", sum, recorded, total)
			}
			for _, f := range failures {
				if argOf(s, f).Ends {
					continue // it would end the last life
				}
				retried++
				if err := node.Retry(s.Context(), f.Number); err != nil {
					s.Fatalf("Retry: %v", err)
				}
			}
			if err := rt.Quiesce(s.Context()); err != nil {
				s.Fatal(err)
			}
		}
		failures, _ := failuresOf(s, node)
		recorded := map[int]bool{}
		for _, f := range failures {
			x := argOf(s, f)
			if recorded[x.ID] = true; !x.Ends {
				s.Errorf("transfer %d is still a failure: %s", x.ID, f.Err)
			}
		}
		_, got := balances(s, rt, n)
		for id, f := range known {
			if _, err := f.Wait(s.Context()); err == nil && got[id] != 1 && !recorded[id] || err != nil && errors.Is(err, errPoor) && got[id] != 0 {
				s.Errorf("transfer %d has come %d times, and its outcome was %v", id, got[id], err)
			}
		}
	})
	if retried == 0 && runs >= 100 {
		t.Error("no failure was retried")
	}
}

// balances returns the sum of all accounts, and how often each transfer has come.
func balances(s *Sim, rt *freerun.Runtime, n int) (sum int, got map[int]int) {
	got = map[int]int{}
	for key := range n {
		a, err := statement.Call(s.Context(), accounts.At(rt.Context(), key), struct{}{})
		if err != nil {
			s.Fatal(err)
		}
		sum += a.Balance
		for id := range a.Got {
			got[id]++
		}
	}
	return sum, got
}

// failuresOf returns the recorded failures, and the money that is in them.
func failuresOf(s *Sim, node *cluster.Node) (all []cluster.Failure, money int) {
	for f, err := range node.Failures() {
		if err != nil {
			s.Fatal(err)
		}
		all = append(all, f)
		money += argOf(s, f).Amount
	}
	return all, money
}

func argOf(s *Sim, f cluster.Failure) (t transfer) {
	if err := json.Unmarshal(f.Arg, &t); err != nil {
		s.Fatalf("the argument %q: %v", f.Arg, err)
	}
	return t
}
