package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"maps"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/cluster"
)

// The key of a wallet is {market}/trader: the market is its tag, because a trade is on two wallets
// of one market. README.md says why.
var (
	inMemory = freerun.NewKind("wallet", newWallet)
	onDisk   = freerun.NewKind("stored", newWallet, cluster.Durable(cluster.Tagged()), freerun.PassivateAfter(time.Minute))
)

// exchange is markets with traders, each of whom has a wallet in each market.
type exchange struct {
	rt      *freerun.Runtime
	wallets *freerun.Kind[string, Wallet]
	books   []*freerun.Unit[Book]
	traders int
	traded  func(Trade) // is called with each trade whose outcome has come, by any goroutine

	orders, trades, audits atomic.Int64
}

func newExchange(rt *freerun.Runtime, markets, traders int) *exchange {
	x := &exchange{rt: rt, wallets: inMemory, traders: traders, traded: func(Trade) {}}
	for i := range markets {
		x.books = append(x.books, freerun.NewUnit(rt, Book{Last: 100}, freerun.UnitName(fmt.Sprint("book ", i))))
	}
	return x
}

func (x *exchange) wallet(c *freerun.Context, market, trader int) *freerun.Unit[Wallet] {
	return x.wallets.At(c, fmt.Sprintf("{%d}/%d", market, trader))
}

// order sends an order to its wallet, and what becomes of it there to the book. Nothing waits.
func (x *exchange) order(c *freerun.Context, o Order) freerun.Future[Placed] {
	w := x.wallet(c, o.Market, o.Trader)
	return place.Send(c, x.books[o.Market], Ticket{submit.Send(c, w, o), w})
}

// count takes note of an order whose outcome has come.
func (x *exchange) count(p Placed) {
	x.orders.Add(1)
	x.trades.Add(int64(len(p.Trades)))
	for _, f := range p.Trades {
		x.traded(f.Value())
	}
}

// trade is what a market's traders do: they send one order after another.
func (x *exchange) trade(a *activity.Activity, market int, pause time.Duration) {
	for price := 100; a.Err() == nil; a.Sleep(pause) {
		o := Order{Market: market, Trader: rand.IntN(x.traders), Buy: rand.IntN(2) == 0}
		o.Price, o.Left = max(1, price+(100-price)/16+int(6*rand.NormFloat64())), 1+rand.IntN(10)
		switch p, err := x.order(freerun.ContextOf(a), o).Await(a); {
		case err == nil:
			price = p.Last
			x.count(p)
		case !errors.Is(err, errPoor) && a.Err() == nil: // a failure of the disk
			log.Print(err)
		}
	}
}

// audit adds up one market after another: there is never a share too many or too few. In a store an
// operation on several units writes all of them, so it is for now and then.
func (x *exchange) audit(a *activity.Activity, pause time.Duration) {
	for market := 0; a.Err() == nil; a.Sleep(pause) {
		if sum, err := x.sum(freerun.ContextOf(a), market).Await(a); err == nil && sum == start.times(x.traders) {
			x.audits.Add(1)
		} else if err == nil {
			log.Panicf("market %d has %+v", market, sum)
		}
		market = (market + 1) % len(x.books)
	}
}

// sum is what all traders have in a market.
func (x *exchange) sum(c *freerun.Context, market int) freerun.Future[Sum] {
	wallets := make([]*freerun.Unit[Wallet], x.traders)
	for trader := range wallets {
		wallets[trader] = x.wallet(c, market, trader)
	}
	return audit.Send(c, wallets, struct{}{})
}

// goOn has the exchange go on with the wallets of a store. Their open orders come back into the
// books in the order in which they had come to the wallets.
func (x *exchange) goOn(ctx context.Context, node *cluster.Node) (err error) {
	x.wallets = onDisk
	var open []Order
	for key, lost := range cluster.Keys(node, onDisk, "") {
		w, failed := statement.Call(ctx, onDisk.At(x.rt.Context(), key), struct{}{})
		err = errors.Join(err, lost, failed)
		open = slices.AppendSeq(open, maps.Values(w.Open))
	}
	slices.SortFunc(open, func(a, b Order) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Trader, b.Trader), a.Number-b.Number)
	})
	for _, o := range open {
		w := x.wallet(x.rt.Context(), o.Market, o.Trader)
		p, failed := place.Call(ctx, x.books[o.Market], Ticket{freerun.Resolved(o), w})
		err = errors.Join(err, failed)
		x.count(p)
	}
	return err
}
