// Command limiter is a service that tells for each API key whether a request may pass.
//
//	GET /allow?key=KEY   204, or 429 with the header Retry-After
//	GET /keys            how many keys are in memory
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"math"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"time"

	"github.com/freerun-go/freerun"
)

func main() {
	l := limit{}
	flag.IntVar(&l.Burst, "burst", 10, "how many requests of a key may come at once")
	flag.DurationVar(&l.Each, "each", time.Second, "how long it takes until a key has one more")
	dir := flag.String("durable", "", "the folder in which the keys are stored; without it they end with the program")
	plain := flag.Bool("twin", false, "with a map and mutexes instead of units")
	addr := flag.String("addr", "127.0.0.1:8081", "where the service is")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second interrupt ends the process at once
	if l.Burst < 1 || l.Each < time.Millisecond || *plain && *dir != "" {
		log.Fatal("limiter: -burst is at least 1, -each a millisecond, and the twin stores nothing")
	}
	var all limiter
	if *plain {
		all = newTwin(l)
	} else {
		u, err := newUnits(freerun.New(), l, *dir)
		if err != nil {
			log.Fatal("limiter: ", err)
		}
		all = u
	}
	fmt.Printf("%d requests at once, and one more each %v: http://%s/allow?key=ada\n", l.Burst, l.Each, *addr)
	if err := serve(ctx, all, *addr); err != nil {
		log.Fatal("limiter: ", err)
	}
}

// serve serves until ctx ends. Requests end first, and then the limiter.
func serve(ctx context.Context, all limiter, addr string) error {
	server := http.Server{Addr: addr, Handler: handler(all)}
	ended := make(chan error, 1)
	context.AfterFunc(ctx, func() { ended <- server.Shutdown(context.Background()) })
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return errors.Join(err, all.close(ctx))
	}
	return errors.Join(<-ended, all.close(context.Background()))
}

func handler(all limiter) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /allow", func(w http.ResponseWriter, r *http.Request) {
		switch wait, err := all.allow(r.Context(), r.FormValue("key")); {
		case err != nil:
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		case wait > 0:
			w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
			w.WriteHeader(http.StatusTooManyRequests)
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, all.keys()) })
	return mux
}
