// Command bank moves money between accounts, which are durable units: kill it at any time, and
// start it again. No money is lost or made, and each transfer that was acknowledged is there.
//
//	go run ./cluster/examples/bank -dir /tmp/bank
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// account is the state of an account. The numbers of transfers are in the order in which they came.
type account struct {
	Balance  int
	Paid     []int
	Received []int
}

type transfer struct{ Number, To, Amount int }

var errPoor = errors.New("insufficient funds")

var (
	accounts = freerun.NewKind("account", func(*freerun.Context, int) (account, error) {
		return account{Balance: 1000}, nil
	}, cluster.Durable())

	// pay takes money from an account and tells another one. The store has both, or neither.
	pay = freerun.Op("pay", func(c *freerun.Context, a *account, t transfer) (int, error) {
		if a.Balance < t.Amount {
			return 0, errPoor
		}
		a.Balance -= t.Amount
		a.Paid = append(a.Paid, t.Number)
		return a.Balance, deposit.Tell(c, accounts.At(c, t.To), t)
	})
	deposit = freerun.Op("deposit", func(_ *freerun.Context, a *account, t transfer) (int, error) {
		a.Balance += t.Amount
		a.Received = append(a.Received, t.Number)
		return a.Balance, nil
	})
	statement = freerun.ReadOp("statement", func(_ *freerun.Context, a *account, _ struct{}) (account, error) {
		return *a, nil // the operations only append to what it holds
	})
)

func main() {
	dir := flag.String("dir", "bank.store", "the folder of the store")
	number := flag.Int("accounts", 10, "how many accounts there are, two at least")
	flight := flag.Int("flight", 100, "how many transfers are under way at a time")
	count := flag.Int("count", 1000, "how many transfers are made")
	statements := flag.Bool("statements", false, "print each account at the start")
	flag.Parse()
	if *number < 2 || *flight < 1 {
		log.Fatal("bank: there are at least two accounts, and one transfer in flight")
	}
	b := bank{os.Stdout, *number, *flight, *statements, freerun.Future[int].Wait}
	if err := b.run(context.Background(), *dir, *count); err != nil {
		log.Fatal(err)
	}
}

type bank struct {
	out              io.Writer
	accounts, flight int
	statements       bool
	outcome          func(f freerun.Future[int], ctx context.Context) (int, error)
}

func (b bank) run(ctx context.Context, dir string, count int) error {
	rt := freerun.New()
	node, err := cluster.Join(rt, cluster.Local(dir, cluster.Create()))
	if err != nil {
		return errors.Join(err, rt.Shutdown(ctx))
	}
	last, err := b.sum(ctx, rt)
	if err == nil {
		err = b.transfer(ctx, rt.Context(), last+1, count)
	}
	return errors.Join(err, rt.Shutdown(ctx), node.Close())
}

// sum prints what all accounts have, once the deposits have come that the last process has left.
// It returns the largest number of a transfer.
func (b bank) sum(ctx context.Context, rt *freerun.Runtime) (last int, err error) {
	if err := rt.Quiesce(ctx); err != nil {
		return 0, err
	}
	sum := 0
	for key := range b.accounts {
		a, err := statement.Call(ctx, accounts.At(rt.Context(), key), struct{}{})
		if err != nil {
			return 0, err
		}
		sum += a.Balance
		for _, number := range a.Paid {
			last = max(last, number)
		}
		if text, _ := json.Marshal(a); b.statements {
			fmt.Fprintf(b.out, "account %s\n", text)
		}
	}
	fmt.Fprintf(b.out, "sum %d\n", sum)
	return last, nil
}

// transfer moves money count times, and prints the number of each transfer that is stored.
func (b bank) transfer(ctx context.Context, c *freerun.Context, first, count int) error {
	var underway []freerun.Future[int] // the first one is that of number done
	for n, done := first, first; done < first+count; {
		if n < first+count && len(underway) < b.flight {
			from := n % b.accounts
			to := (from + 1 + n/b.accounts%(b.accounts-1)) % b.accounts
			underway = append(underway, pay.Send(c, accounts.At(c, from), transfer{n, to, 1 + n%100}))
			n++
			continue
		}
		switch _, err := b.outcome(underway[0], ctx); {
		case err == nil:
			fmt.Fprintln(b.out, "paid", done)
		case !errors.Is(err, errPoor): // which has changed nothing
			return err
		}
		underway, done = underway[1:], done+1
	}
	return nil
}
