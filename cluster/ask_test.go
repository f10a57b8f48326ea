package cluster_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// payment is a transfer that is undone if the other account does not take it.
type payment struct {
	To     string
	Amount int
	How    string // what the other operation does: panics, goexits, fails; empty for a deposit
}

var (
	askPayment = freerun.Op[account, payment, int]("askPayment", nil)
	deposited  = freerun.Op("deposited", func(c *freerun.Context, a *account, r cluster.Answer[int, int]) (struct{}, error) {
		if r.Err != nil {
			a.Balance += r.Arg
		}
		return struct{}{}, nil
	})
	// receive is a deposit that may fail.
	receive = freerun.Op("receivePayment", func(_ *freerun.Context, a *account, p payment) (int, error) {
		if p.How != "" {
			a.Balance++ // undone by all that is no error
		}
		if err := goesAwry(p.How); err != nil {
			a.Balance--
			return 0, err
		}
		a.Balance += p.Amount
		return a.Balance, nil
	})
	received = freerun.Op("paymentReceived", func(_ *freerun.Context, a *account, r cluster.Answer[payment, int]) (struct{}, error) {
		a.Log = append(a.Log, r.Result)
		var panicked *freerun.PanicError
		switch {
		case r.Key != r.Arg.To:
			a.Log = append(a.Log, -1)
		case r.Err != nil && (r.Arg.How == "fails") != errors.Is(r.Err, errFailed), errors.As(r.Err, &panicked):
			a.Log = append(a.Log, -2)
		case r.Err != nil:
			a.Balance += r.Arg.Amount
		}
		return struct{}{}, nil
	})
)

func init() {
	freerun.Define(askPayment, func(c *freerun.Context, a *account, p payment) (int, error) {
		if a.Balance < p.Amount {
			return 0, errPoor
		}
		a.Balance -= p.Amount
		return a.Balance, cluster.Ask(c, receive, accounts.At(c, p.To), p, received)
	})
}

// TestAsk holds that a question has one answer, whatever the other unit does, and that a transfer
// which is undone by the answer neither makes nor loses money.
func TestAsk(t *testing.T) {
	rt, n, _ := start(t, t.TempDir())
	c := rt.Context()
	for _, how := range []string{"", "fails", "panics", "goexits"} {
		from, to := "from "+how, "to "+how
		for range 3 {
			must(t, askPayment.Send(c, accounts.At(c, from), payment{to, 10, how}))
		}
		for len(must(t, history.Send(c, accounts.At(c, from), struct{}{}))) < 3 {
			time.Sleep(time.Millisecond)
		}
		settle(t, rt)
		a, b := must(t, balance.Send(c, accounts.At(c, from), struct{}{})), must(t, balance.Send(c, accounts.At(c, to), struct{}{}))
		log := must(t, history.Send(c, accounts.At(c, from), struct{}{}))
		if how == "" && (a != 70 || b != 130) || how != "" && (a != 100 || b != 100) || len(log) != 3 || slices.Min(log) < 0 {
			t.Errorf("%s: %d and %d, %d answers", how, a, b, len(log))
		}
	}
	for f, err := range n.Failures() {
		t.Errorf("a failure is recorded: %+v, %v", f, err)
	}
}
