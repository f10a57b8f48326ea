package main

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

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
			if bench.durable && (runtime.GOOS == "js" || runtime.GOOS == "wasip1") {
				b.Skip("no stores on WebAssembly")
			}
			rt := freerun.New()
			defer rt.Close()
			x := newExchange(rt, bench.markets, bench.traders)
			commits := func() uint64 { return 0 }
			if bench.durable {
				node, err := x.durable(b.Context(), b.TempDir())
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
