// Command exchange is 1,000 markets with 1,000 wallets each, and their order books on a web page.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/cluster"
)

func main() {
	markets := flag.Int("markets", 1000, "how many order books there are")
	traders := flag.Int("traders", 1000, "how many wallets each market has")
	pause := flag.Duration("pause", 100*time.Millisecond, "between the outcome of an order and the next order of a market")
	dir := flag.String("durable", "", "the folder in which the wallets are stored; without it they end with the program")
	addr := flag.String("addr", "127.0.0.1:8080", "where the page is")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second interrupt ends the process at once
	if err := newExchange(freerun.New(), max(1, *markets), max(1, *traders)).run(ctx, *dir, *addr, *pause); err != nil {
		log.Fatal("exchange: ", err)
	}
}

// run has the traders trade until ctx ends. Then the page ends first, and the store last.
func (x *exchange) run(ctx context.Context, dir, addr string, pause time.Duration) error {
	if dir != "" {
		node, err := cluster.Join(x.rt, cluster.Local(dir, cluster.Create()))
		if err != nil {
			return err
		}
		defer node.Close()
		if err := x.goOn(ctx, node); err != nil {
			return err
		}
	}
	traders := x.rt.Scope(context.Background(), freerun.ScopeName("traders"))
	for market := range x.books {
		activity.Go(traders, func(a *activity.Activity) { x.trade(a, market, pause) })
	}
	activity.Go(traders, func(a *activity.Activity) { x.audit(a, 10*pause) })
	fmt.Printf("%d markets with %d wallets each: http://%s\n", len(x.books), x.traders, addr)
	server := http.Server{Addr: addr, Handler: x.handler(), BaseContext: func(net.Listener) context.Context { return ctx }}
	context.AfterFunc(ctx, func() { server.Shutdown(context.Background()) })
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	traders.Cancel(nil)
	return x.rt.Shutdown(context.Background())
}
