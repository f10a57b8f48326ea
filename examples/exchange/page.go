package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/freerun-go/freerun"
)

//go:embed page.html
var page []byte

func (x *exchange) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { w.Write(page) })
	mux.HandleFunc("GET /events", x.events)
	mux.HandleFunc("POST /orders", x.post)
	return mux
}

// What the page asks of books.
var (
	last = freerun.ReadOp("last", func(_ *freerun.Context, b *Book, _ struct{}) (int, error) { return b.Last, nil })
	view = freerun.ReadOp("view", func(_ *freerun.Context, b *Book, _ struct{}) (Book, error) {
		return Book{b.Last, slices.Clone(b.Bids), slices.Clone(b.Asks)}, nil
	})
)

// shown is what the page shows. It is sent when all books have answered.
type shown struct {
	Prices                          []freerun.Future[int]
	Book                            freerun.Future[Book]
	Wallets, Orders, Trades, Audits int64
}

// events sends what the page shows four times a second, until the page or the program goes away.
func (x *exchange) events(w http.ResponseWriter, r *http.Request) {
	market, err := strconv.Atoi(r.FormValue("market"))
	if err != nil || market < 0 || market >= len(x.books) {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for {
		s, err := freerun.Go(x.rt.Context(), func(c *freerun.Context) (s shown, _ error) {
			for _, b := range x.books {
				s.Prices = append(s.Prices, last.Send(c, b, struct{}{}))
			}
			s.Book, s.Wallets = view.Send(c, x.books[market], struct{}{}), int64(len(x.books)*x.traders)
			s.Orders, s.Trades, s.Audits = x.orders.Load(), x.trades.Load(), x.audits.Load()
			return s, nil
		}).Wait(r.Context())
		if err != nil {
			return
		}
		text, _ := json.Marshal(s)
		fmt.Fprintf(w, "data: %s\n\n", text)
		http.NewResponseController(w).Flush()
		time.Sleep(time.Second / 4)
	}
}

// post takes an order of trader 0, and answers when what it has changed is stored.
func (x *exchange) post(w http.ResponseWriter, r *http.Request) {
	var o Order
	if json.NewDecoder(r.Body).Decode(&o) != nil || o.Market < 0 || o.Market >= len(x.books) {
		http.Error(w, errOrder.Error(), http.StatusBadRequest)
		return
	}
	o.Trader = 0
	p, err := x.order(x.rt.Context(), o).Wait(r.Context())
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	x.count(p)
	json.NewEncoder(w).Encode(p)
}
