//go:build amd64 || arm64

package powercut

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/internal/child"
)

const (
	bankFolder   = "var/lib/bank"
	bankAccounts = 5
	bankMoney    = 1000 // of an account at first
)

type account struct {
	Balance        int
	Paid, Received []int
}

type transfer struct{ Number, To, Amount int }

var (
	accounts = freerun.NewKind("account", func(*freerun.Context, int) (account, error) {
		return account{Balance: bankMoney}, nil
	}, cluster.Durable())
	pay = freerun.Op("pay", func(c *freerun.Context, a *account, t transfer) (int, error) {
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
		return account{a.Balance, slices.Clone(a.Paid), slices.Clone(a.Received)}, nil
	})
)

func init() { child.Role("transfers", transfers) }

// transfers joins a store and makes FREERUN_TRANSFERS transfers, some at a time. It says "joined",
// and the number of each transfer whose outcome has come.
func transfers() {
	at, ctx := os.Getenv("FREERUN_MOUNT"), context.Background()
	count, err := strconv.Atoi(os.Getenv("FREERUN_TRANSFERS"))
	must(err)
	rt := freerun.New(freerun.Logger(slog.New(slog.DiscardHandler)))
	node, err := cluster.Join(rt, cluster.Local(filepath.Join(at, bankFolder), cluster.Create()))
	must(err)
	must(Say(at, "joined"))
	var underway []freerun.Future[int]
	for n, done := 1, 1; done <= count; {
		if n <= count && len(underway) < 4 {
			from := n % bankAccounts
			t := transfer{n, (from + 1 + n/bankAccounts%(bankAccounts-1)) % bankAccounts, 1 + n%100}
			underway = append(underway, pay.Send(rt.Context(), accounts.At(rt.Context(), from), t))
			n++
			continue
		}
		_, err := underway[0].Wait(ctx)
		must(err)
		must(Say(at, fmt.Sprint(done)))
		underway, done = underway[1:], done+1
	}
	must(errors.Join(rt.Quiesce(ctx), rt.Shutdown(ctx), node.Close()))
}

// bank is the load of transfers.
type bank struct {
	machine
	ctx    context.Context
	joined bool
	paid   []int // whose outcomes have come
}

func (b *bank) said(line string) {
	if n, err := strconv.Atoi(line); err == nil {
		b.paid = append(b.paid, n)
	} else {
		b.joined = true
	}
}

func (b *bank) syncs(bool) {}

func (b *bank) look(dir string, _ bool) (err error) {
	var options []cluster.LocalOption
	if !b.joined {
		options = append(options, cluster.Create())
	}
	rt := freerun.New(freerun.Logger(slog.New(slog.DiscardHandler)))
	defer func() { err = errors.Join(err, rt.Shutdown(b.ctx)) }()
	node, err := cluster.Join(rt, cluster.Local(filepath.Join(dir, bankFolder), options...))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rt.Shutdown(b.ctx), node.Close()) }()
	if err := rt.Quiesce(b.ctx); err != nil { // what was told is delivered
		return err
	}
	sum, paid, received := 0, map[int]int{}, map[int]int{}
	for key := range bankAccounts {
		a, err := statement.Call(b.ctx, accounts.At(rt.Context(), key), struct{}{})
		if err != nil {
			return err
		}
		sum += a.Balance
		for _, n := range a.Paid {
			paid[n]++
		}
		for _, n := range a.Received {
			received[n]++
		}
		if !slices.IsSorted(a.Paid) {
			return fmt.Errorf("account %d has paid %v", key, a.Paid)
		}
	}
	if sum != bankAccounts*bankMoney {
		return fmt.Errorf("the sum is %d", sum)
	}
	for n := range max(len(paid), len(received), len(b.paid)) + 10 {
		if paid[n] > 1 || received[n] != paid[n] {
			return fmt.Errorf("transfer %d was paid %d times, and received %d times", n, paid[n], received[n])
		}
	}
	for _, n := range b.paid {
		if paid[n] == 0 {
			return fmt.Errorf("transfer %d was acknowledged, and is not there", n)
		}
	}
	return nil
}

// TestPowerLossOfABank has the power fail at each sync of durable units that tell each other: no
// money is lost or made, and each transfer that was acknowledged is there.
func TestPowerLossOfABank(t *testing.T) {
	b := &bank{ctx: t.Context()}
	b.disk, b.random, b.program = NewDisk(nil), cuts(3), b
	b.run(t, "transfers", "FREERUN_TRANSFERS=30")
	b.report(t)
	if len(b.paid) != 30 {
		t.Errorf("%d transfers are acknowledged", len(b.paid))
	}
}

// TestPowerLossOfABankControl holds that the test above finds a disk that does not sync.
func TestPowerLossOfABankControl(t *testing.T) {
	b := &bank{ctx: t.Context()}
	b.disk, b.random, b.program = NewDisk(nil), 1, b
	b.disk.Ignores = func(folder bool) bool { return !folder }
	b.run(t, "transfers", "FREERUN_TRANSFERS=10")
	if all := strings.Join(b.problems, "\n"); !strings.Contains(all, "is empty") && !strings.Contains(all, "is not there") {
		t.Errorf("no lost transfer was found: %s", all)
	}
}
