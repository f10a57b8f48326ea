package main

import (
	"errors"
	"maps"
	"slices"

	"github.com/freerun-go/freerun"
)

// Sum is what somebody has.
type Sum struct{ Cash, Shares int }

func (s Sum) plus(t Sum) Sum  { return Sum{s.Cash + t.Cash, s.Shares + t.Shares} }
func (s Sum) times(n int) Sum { return Sum{s.Cash * n, s.Shares * n} }

// Wallet is what a trader has in one market. What his open orders may take is reserved: it is in
// Sum no more, so an order that was taken can always be settled.
type Wallet struct {
	Sum
	Open   map[int]Order // by their numbers
	Orders int           // how many there were
	Trades []Trade       // the last ones
}

// Order is the wish to buy or to sell shares at a price, or at a better one.
type Order struct {
	Market, Trader, Number int
	Buy                    bool
	Price, Left            int   // of a share; how many shares are not traded yet
	At                     int64 // when it came, in nanoseconds
}

// Trade is what came of two orders, the bid to buy and the ask to sell.
type Trade struct{ Market, Buyer, Bid, Seller, Ask, Price, Shares int }

var errPoor, errOrder = errors.New("the wallet has too little"), errors.New("no order")

// start is what each trader begins with, and remembered how many trades his wallet shows.
var start, remembered = Sum{100_000, 1_000}, 5

func newWallet(*freerun.Context, string) (Wallet, error) {
	return Wallet{Sum: start, Open: map[int]Order{}}, nil
}

// submit reserves what an order may take, and gives it a number.
var submit = freerun.Op("submit", func(c *freerun.Context, w *Wallet, o Order) (Order, error) {
	if min(o.Price, o.Left) < 1 || max(o.Price, o.Left) > 10_000 {
		return o, errOrder
	}
	left := w.plus(o.reserved().times(-1))
	if left.Cash < 0 || left.Shares < 0 {
		return o, errPoor
	}
	w.Sum, w.Orders = left, w.Orders+1
	o.Number, o.At = w.Orders, c.Runtime().Now().UnixNano()
	w.Open[o.Number] = o
	return o, nil
})

// settle is a trade: one operation on both wallets. Nobody sees one half of it, and no crash
// leaves one.
var settle = freerun.Op2("settle", func(_ *freerun.Context, buyer, seller *Wallet, t Trade) (Trade, error) {
	bid, ask := buyer.Open[t.Bid], seller.Open[t.Ask]
	if bid.Left < t.Shares || ask.Left < t.Shares {
		return t, errOrder
	}
	buyer.trade(t, bid, Sum{(bid.Price - t.Price) * t.Shares, t.Shares}) // had reserved bid.Price
	seller.trade(t, ask, Sum{t.Price * t.Shares, 0})
	return t, nil
})

// cancel ends an order, and gives back what it has reserved.
var cancel = freerun.Op("cancel", func(_ *freerun.Context, w *Wallet, number int) (Sum, error) {
	back := w.Open[number].reserved()
	w.Sum = w.plus(back)
	delete(w.Open, number)
	return back, nil
})

// statement returns a copy: what leaves an operation shares nothing with the state.
var statement = freerun.ReadOp("statement", func(_ *freerun.Context, w *Wallet, _ struct{}) (Wallet, error) {
	return Wallet{w.Sum, maps.Clone(w.Open), w.Orders, slices.Clone(w.Trades)}, nil
})

// audit adds up wallets, reserved or not, as they are at one instant in the middle of trading.
var audit = freerun.OpAll("audit", func(_ *freerun.Context, wallets []*Wallet, _ struct{}) (sum Sum, _ error) {
	for _, w := range wallets {
		sum = sum.plus(w.Sum)
		for _, o := range w.Open {
			sum = sum.plus(o.reserved())
		}
	}
	return sum, nil
})

func (o Order) reserved() Sum {
	if o.Buy {
		return Sum{o.Price * o.Left, 0}
	}
	return Sum{0, o.Left}
}

func (w *Wallet) trade(t Trade, o Order, gets Sum) {
	w.Sum = w.plus(gets)
	o.Left -= t.Shares
	if w.Open[o.Number] = o; o.Left == 0 {
		delete(w.Open, o.Number)
	}
	w.Trades = append(w.Trades[max(0, len(w.Trades)+1-remembered):], t)
}
