package main

import (
	"slices"
	"sort"

	"github.com/freerun-go/freerun"
)

// Book has the open orders of a market that have found no partner. It is not stored: each of its
// orders is in a wallet, too, and a start makes the books from those.
type Book struct {
	Last       int       // the price of the last trade
	Bids, Asks []Resting // the best one last; of two that are as good, the older one
}

// Resting is an order with the unit of its wallet.
type Resting struct {
	Order
	wallet *freerun.Unit[Wallet]
}

// Ticket is an order on its way to the book: it arrives when the wallet has reserved what it takes.
type Ticket struct {
	Order  freerun.Future[Order]
	Wallet *freerun.Unit[Wallet]
}

// Placed is what has become of an order at once; what is left of it rests in the book. Who waits
// for a result waits for the futures in it, too: here until each trade is settled, and stored.
type Placed struct {
	Last   int
	Trades []freerun.Future[Trade]
}

// depth is how many orders rest on a side of a book. If more come, the worst one is canceled.
const depth = 40

// place matches an order with those of the other side: the best price first, then the oldest.
var place = freerun.Op("place", func(c *freerun.Context, b *Book, t Ticket) (p Placed, _ error) {
	o := Resting{t.Order.Value(), t.Wallet}
	same, other := &b.Asks, &b.Bids
	if o.Buy {
		same, other = &b.Bids, &b.Asks
	}
	for o.Left > 0 && len(*other) > 0 && o.accepts((*other)[len(*other)-1].Price) {
		best := &(*other)[len(*other)-1]
		if best.Trader == o.Trader { // nobody trades with himself
			cancel.Tell(c, best.wallet, best.Number)
			best.Left = 0
		} else {
			p.Trades = append(p.Trades, b.match(c, &o, best))
		}
		if best.Left == 0 {
			*other = (*other)[:len(*other)-1]
		}
	}
	if o.Left > 0 {
		rest(c, same, o)
	}
	p.Last = b.Last
	return p, nil
})

// match sends a trade to the wallets, at the price of the order that has waited.
func (b *Book) match(c *freerun.Context, o, best *Resting) freerun.Future[Trade] {
	n := min(o.Left, best.Left)
	o.Left, best.Left, b.Last = o.Left-n, best.Left-n, best.Price
	bid, ask := o, best
	if !o.Buy {
		bid, ask = best, o
	}
	t := Trade{o.Market, bid.Trader, bid.Number, ask.Trader, ask.Number, b.Last, n}
	return settle.Send(c, bid.wallet, ask.wallet, t)
}

// rest has an order wait behind those that are as good.
func rest(c *freerun.Context, side *[]Resting, o Resting) {
	at := sort.Search(len(*side), func(i int) bool { return (*side)[i].accepts(o.Price) })
	*side = slices.Insert(*side, at, o)
	if len(*side) > depth {
		cancel.Tell(c, (*side)[0].wallet, (*side)[0].Number)
		*side = slices.Delete(*side, 0, 1)
	}
}

// accepts tells whether an order trades at a price.
func (o Order) accepts(price int) bool { return price == o.Price || o.Buy == (price < o.Price) }
