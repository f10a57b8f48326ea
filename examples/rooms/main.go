// Command rooms is 10,000 rooms that tick 60 times a second, with players who walk between them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"math"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"time"

	"github.com/freerun-go/freerun"
)

func main() {
	rooms := flag.Int("rooms", 10_000, "how many rooms there are: a square")
	players := flag.Int("players", 20_000, "how many players walk")
	addr := flag.String("addr", "127.0.0.1:8082", "where the page is")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second interrupt ends the process at once
	w := newWorld(freerun.New(), int(math.Sqrt(float64(max(4, *rooms)))))
	w.fill(*players)
	if err := w.serve(ctx, *addr); err != nil {
		log.Fatal("rooms: ", err)
	}
}

// serve has the rooms tick until ctx ends. Pages end first.
func (w *world) serve(ctx context.Context, addr string) error {
	w.run(freerun.High)
	reports := sync.WaitGroup{}
	reports.Go(func() { w.report(ctx) })
	defer reports.Wait()
	fmt.Printf("%d rooms: http://%s\n", len(w.rooms), addr)
	server := http.Server{Addr: addr, Handler: w.handler(), BaseContext: func(net.Listener) context.Context { return ctx }}
	context.AfterFunc(ctx, func() { server.Shutdown(context.Background()) })
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return w.rt.Shutdown(context.Background())
}

// shown is what report has said last.
type shown struct {
	Ticks, LeftOut, Walks int64
	Late                  []time.Duration // p50, p99, p99.9
}

// report says each second how late ticks were.
func (w *world) report(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
		ticks, late := w.late.take(0.5, 0.99, 0.999)
		t := shown{ticks, w.leftOut.Swap(0), w.walks.Swap(0), late}
		w.shown.Store(&t)
		fmt.Printf("%d ticks, %d left out, %d walks; late, p50 p99 p99.9: %v\n", t.Ticks, t.LeftOut, t.Walks, t.Late)
	}
}
