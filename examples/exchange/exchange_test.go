package main

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/freeruntest"
)

func TestMain(m *testing.M) {
	child()
	goleak.VerifyTestMain(m)
}

// TestExchange holds that the sums are exact while traders trade, and that the page sees them.
func TestExchange(t *testing.T) {
	rt := freerun.New()
	defer rt.Close()
	x := newExchange(rt, 20, 50)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- x.run(ctx, "", "127.0.0.1:0", 0) }()
	server := httptest.NewServer(x.handler())
	defer server.Close()

	seen := watch(t, server.URL+"/events?market=7", func(s shownText) bool { return s.Trades >= 5000 && s.Audits >= 20 })
	if len(seen.Prices) != 20 || seen.Wallets != 1000 || seen.Book.Value.Last == 0 {
		t.Errorf("the page has %+v", seen)
	}
	checkSums(t, x)
	r, err := http.Post(server.URL+"/orders", "", strings.NewReader(`{"Market": 7, "Buy": true, "Price": 300, "Left": 1}`))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var p struct{ Trades []struct{ Value Trade } }
	if err := json.NewDecoder(r.Body).Decode(&p); err != nil || len(p.Trades) != 1 || p.Trades[0].Value.Market != 7 {
		t.Errorf("an order for one share has %+v, %v", p, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// shownText is what the page gets.
type shownText struct {
	Prices                  []struct{ Value int }
	Book                    struct{ Value Book }
	Wallets, Trades, Audits int
}

// watch reads the events of a page until one is enough.
func watch(t *testing.T, url string, enough func(shownText) bool) (s shownText) {
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	for lines := bufio.NewScanner(r.Body); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			if err := json.Unmarshal([]byte(text), &s); err != nil {
				t.Fatal(err)
			}
			if enough(s) {
				return s
			}
		}
	}
	t.Fatalf("the events end with %+v", s)
	return s
}

// checkSums adds up each market, as it is at one instant.
func checkSums(t testing.TB, x *exchange) {
	t.Helper()
	for market := range x.books {
		sum, err := x.sum(x.rt.Context(), market).Wait(t.Context())
		if want := start.times(x.traders); sum != want || err != nil {
			t.Errorf("market %d has %+v, and had %+v: %v", market, sum, want, err)
		}
	}
}

// TestOrders has three traders send random orders to one market under 500 schedules. The sums are
// exact at each instant, and in the end the book and the wallets have the same orders.
func TestOrders(t *testing.T) {
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		x, random := newExchange(rt, 1, 3), freeruntest.Random(rt)
		for range 30 {
			o := Order{Trader: random.IntN(3), Buy: random.IntN(2) == 0, Price: 95 + random.IntN(10), Left: 1 + random.IntN(500)}
			x.order(rt.Context(), o)
			if random.IntN(4) == 0 {
				checkSums(t, x)
			}
		}
		if err := rt.Quiesce(t.Context()); err != nil {
			t.Fatal(err)
		}
		checkSums(t, x)
		checkBook(t, x, 0)
	})
}

// checkBook compares the orders of a book with those of the wallets, while nobody trades.
func checkBook(t testing.TB, x *exchange, market int) {
	t.Helper()
	type name struct{ trader, number int }
	open := map[name]Order{}
	for trader := range x.traders {
		w, err := statement.Send(x.rt.Context(), x.wallet(x.rt.Context(), market, trader), struct{}{}).Wait(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if w.Cash < 0 || w.Shares < 0 {
			t.Errorf("trader %d has %+v", trader, w.Sum)
		}
		for _, o := range w.Open {
			open[name{o.Trader, o.Number}] = o
		}
	}
	b, err := view.Send(x.rt.Context(), x.books[market], struct{}{}).Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, side := range [][]Resting{b.Bids, b.Asks} {
		for i, r := range side {
			if o := open[name{r.Trader, r.Number}]; o != r.Order {
				t.Errorf("the book has %+v, the wallet %+v", r.Order, o)
			}
			if i > 0 && !r.accepts(side[i-1].Price) {
				t.Errorf("%+v comes before %+v", r.Order, side[i-1].Order)
			}
		}
	}
	if n := len(b.Bids) + len(b.Asks); n != len(open) {
		t.Errorf("the book has %d orders, the wallets have %d", n, len(open))
	}
	if nb, na := len(b.Bids), len(b.Asks); nb > 0 && na > 0 && b.Bids[nb-1].Price >= b.Asks[na-1].Price {
		t.Errorf("a bid of %d waits beside an ask of %d", b.Bids[nb-1].Price, b.Asks[na-1].Price)
	}
}
