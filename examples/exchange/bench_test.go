package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

// handOver is a trade as it would be if the book were stored, and in the operation.
var handOver = freerun.Op2("handOver", func(_ *freerun.Context, book, w *Wallet, n int) (int, error) {
	book.Cash += n
	w.Cash -= n
	return w.Cash, nil
})

// BenchmarkBookInOperation has 256 operations under way, each on one of 1,000 wallets and on one
// unit that all of them have: beside books=1/durable it says why the book is not in a trade.
func BenchmarkBookInOperation(b *testing.B) {
	rt := freerun.New()
	x := newExchange(rt, 1, 1000)
	node, err := join(b.Context(), x, storeOf(b))
	if err != nil {
		b.Fatal(err)
	}
	book, left := onDisk.At(rt.Context(), "{0}/book"), atomic.Int64{}
	left.Store(int64(b.N))
	scope := rt.Scope(context.Background())
	b.ResetTimer()
	for range 256 {
		activity.Go(scope, func(a *activity.Activity) {
			for left.Add(-1) >= 0 {
				w := x.wallet(freerun.ContextOf(a), 0, rand.IntN(x.traders))
				handOver.Send(freerun.ContextOf(a), book, w, 1).Await(a)
			}
		})
	}
	if err := scope.Wait(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "trades/s")
	b.ReportMetric(float64(b.N)/float64(node.Stats().Commits), "trades/commit")
	if err := errors.Join(rt.Shutdown(b.Context()), node.Close()); err != nil {
		b.Fatal(err)
	}
}

func storeOf(b *testing.B) string {
	if slices.Contains([]string{"js", "wasip1"}, runtime.GOOS) {
		b.Skip("no stores on WebAssembly")
	}
	return b.TempDir()
}

// BenchmarkTrades makes b.N trades: on 1,000 books with a million wallets and an order under way on
// each book, and on one book with 256 orders under way.
func BenchmarkTrades(b *testing.B) {
	for _, bench := range []struct {
		name             string
		markets, traders int
		flight           int // orders under way in a market
		durable          bool
	}{
		{"books=1000", 1000, 1000, 1, false},
		{"books=1", 1, 1000, 256, false},
		{"books=1000/durable", 1000, 1000, 1, true},
		{"books=1/durable", 1, 1000, 256, true},
	} {
		b.Run(bench.name, func(b *testing.B) {
			rt := freerun.New()
			defer rt.Close()
			x := newExchange(rt, bench.markets, bench.traders)
			commits := func() uint64 { return 0 }
			if bench.durable {
				node, err := join(b.Context(), x, storeOf(b))
				if err != nil {
					b.Fatal(err)
				}
				defer node.Close()
				defer rt.Shutdown(b.Context())
				commits = func() uint64 { return node.Stats().Commits }
			}
			enough := make(chan struct{})
			scope := rt.Scope(context.Background())
			all := sync.OnceFunc(func() { close(enough) })
			x.traded = func(Trade) {
				if x.trades.Load() >= int64(b.N) {
					all()
				}
			}
			b.ReportAllocs()
			b.ResetTimer()
			for market := range x.books {
				for range bench.flight {
					activity.Go(scope, func(a *activity.Activity) { x.trade(a, market, 0) })
				}
			}
			<-enough
			b.StopTimer()
			trades := float64(x.trades.Load())
			b.ReportMetric(trades/b.Elapsed().Seconds(), "trades/s")
			b.ReportMetric(float64(x.orders.Load())/trades, "orders/trade")
			if n := commits(); n > 0 {
				b.ReportMetric(trades/float64(n), "trades/commit")
			}
			scope.Cancel(nil)
			scope.Wait(b.Context())
		})
	}
}
