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
	"github.com/freerun-go/freerun/activity"
)

func main() {
	rooms := flag.Int("rooms", 10_000, "how many rooms there are: a square")
	players := flag.Int("players", 20_000, "how many players walk")
	noise := flag.Int("noise", 0, "how many activities look into rooms all the time, without a priority")
	flat := flag.Bool("flat", false, "no priority for ticks either")
	addr := flag.String("addr", "127.0.0.1:8082", "where the page is")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second interrupt ends the process at once
	w := newWorld(freerun.New(), int(math.Sqrt(float64(max(4, *rooms)))))
	w.fill(*players)
	priority := freerun.High
	if *flat {
		priority = freerun.Normal
	}
	if err := w.serve(ctx, priority, *noise, *addr); err != nil {
		log.Fatal("rooms: ", err)
	}
}

// serve has the rooms tick until ctx ends. Pages end first.
func (w *world) serve(ctx context.Context, priority freerun.Priority, noise int, addr string) error {
	w.run(priority)
	crowd := w.rt.Scope(ctx)
	for i := range noise {
		activity.Go(crowd, func(a *activity.Activity) { w.disturb(a, i) })
	}
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

// disturb looks into one room after another.
func (w *world) disturb(a *activity.Activity, at int) {
	for ; a.Err() == nil; at = (at + 7919) % len(w.rooms) {
		look.Send(freerun.ContextOf(a), w.rooms[at%len(w.rooms)], struct{}{}).Await(a)
	}
}

// shown is what report has said last.
type shown struct {
	Ticks, LeftOut, Walks int64
	Late                  string
}

// report says each second how late ticks were, beside a goroutine that does nothing but sleep until
// an instant, as often as a group of rooms is due: that is how late this machine is by itself.
func (w *world) report(ctx context.Context) {
	var sleeper histogram
	next := time.Now()
	for n := 1; ctx.Err() == nil; n++ {
		next = next.Add(step)
		time.Sleep(time.Until(next))
		if sleeper.add(time.Since(next)); n%(60*groups) > 0 {
			continue
		}
		ticks, late := w.late.take(0.5, 0.99, 0.999)
		_, alone := sleeper.take(0.5, 0.99, 0.999)
		t := shown{ticks, w.leftOut.Swap(0), w.walks.Swap(0), fmt.Sprint(late)}
		w.shown.Store(&t)
		fmt.Printf("%d ticks, %d left out, %d walks; late, p50 p99 p99.9: %s; a goroutine that sleeps: %v\n", t.Ticks, t.LeftOut, t.Walks, t.Late, alone)
	}
}
