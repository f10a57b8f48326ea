//go:build !wasm

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// account is the state of an account, with how many transfers it has paid and received.
type account struct{ Balance, Paid, Received int }

type transfer struct{ To, Amount int }

const (
	mostAccounts = 20
	atFirst      = 1000
)

var errPoor = cluster.StoredError("bank.errPoor", errors.New("insufficient funds"))

var (
	// The identities of transfers are kept for a minute: a process asks again for less.
	accounts = freerun.NewKind("account", func(*freerun.Context, int) (account, error) {
		return account{Balance: atFirst}, nil
	}, cluster.Durable(cluster.OnceFor(time.Minute)))

	// pay takes money from an account and tells another one: both happen, or neither.
	pay = freerun.Op("pay", func(c *freerun.Context, a *account, t transfer) (int, error) {
		if a.Balance < t.Amount {
			return a.Balance, errPoor
		}
		a.Balance -= t.Amount
		a.Paid++
		return a.Balance, deposit.Tell(c, accounts.At(c, t.To), t)
	})
	deposit = freerun.Op("deposit", func(_ *freerun.Context, a *account, t transfer) (int, error) {
		a.Balance += t.Amount
		a.Received++
		return a.Balance, nil
	})
	statement = freerun.ReadOp("statement", func(_ *freerun.Context, a *account, _ struct{}) (account, error) { return *a, nil })
)

// audit is what all accounts have.
type audit struct{ Sum, Paid, Received int }

func (a audit) String() string {
	return fmt.Sprintf("the accounts have %d, after %d transfers", a.Sum, a.Paid)
}

// look waits until no transfer is under way, and all money is there.
func look(ctx context.Context, rt *freerun.Runtime) (found audit, err error) {
	for {
		found = audit{}
		for key := range mostAccounts {
			a, err := statement.Call(ctx, accounts.At(rt.Context(), key), struct{}{})
			if err != nil {
				return found, fmt.Errorf("bank: account %d: %w", key, err)
			}
			found.Sum += a.Balance
			found.Paid += a.Paid
			found.Received += a.Received
		}
		if found.Sum == mostAccounts*atFirst && found.Paid == found.Received {
			return found, nil
		}
		select {
		case <-ctx.Done():
			return found, fmt.Errorf("bank: %v; %d were received: %w", found, found.Received, ctx.Err())
		case <-time.After(pause / 10):
		}
	}
}
