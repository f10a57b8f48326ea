// Command consumer takes the events of customers from a stream of NATS, in order for each customer.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/signal"
	"strconv"
	"time"

	"github.com/freerun-go/freerun"
)

// work is what the command has the consumer do.
type work struct {
	customers, each int
	slow            time.Duration // how long an event of customer 0 takes
	twin            bool
	again           time.Duration // until an event without an answer comes again
}

func main() {
	w := work{again: 2 * time.Second}
	flag.IntVar(&w.customers, "customers", 1_000, "how many customers there are")
	flag.IntVar(&w.each, "each", 100, "how many events each of them has")
	flag.DurationVar(&w.slow, "slow", 20*time.Millisecond, "how long an event of customer 0 takes; the others' take none")
	flag.BoolVar(&w.twin, "twin", false, "with a map, a mutex and goroutines instead of freerun")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := w.run(ctx); err != nil {
		log.Fatal("consumer: ", err)
	}
}

// run publishes the events, and consumes them in two lives: the first one ends in the middle.
func (w work) run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "consumer")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	q, err := openQueue(ctx, dir)
	if err != nil {
		return err
	}
	defer q.close()
	if err := q.publish(ctx, w.events()); err != nil {
		return err
	}
	l, all, fast, slow := newLedger(), w.customers*w.each, time.Time{}, time.Time{}
	l.wait, l.fails = w.wait, func(event) bool { return rand.IntN(1_000) == 0 }
	for life, most := range []int{all / 2, all} {
		living, end := context.WithCancel(ctx)
		l.added = func(e event, effects int) {
			if effects == most {
				end()
			}
			if e.Customer == slowest {
				slow = time.Now()
			} else {
				fast = time.Now()
			}
		}
		began := time.Now()
		if err := w.live(living, q, l); err != nil && living.Err() == nil {
			return err
		}
		end()
		fmt.Printf("consumer %d: %d effects of %d; the slow customer's last one after %v, that of the others after %v; %d events came early\n",
			life+1, len(l.journal), all, slow.Sub(began).Round(time.Millisecond), fast.Sub(began).Round(time.Millisecond), l.early)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if e := disorder(l.journal, w.customers, w.each); e != nil {
		return fmt.Errorf("%+v is not in order, missing, or had its effect twice", *e)
	}
	fmt.Println("each event has had its effect once, and those of each customer in their order")
	return nil
}

// live is one life of a consumer. What has not begun when ctx ends never runs, as after a kill.
func (w work) live(ctx context.Context, q *queue, l *ledger) error {
	messages, err := q.subscribe(ctx, w.again)
	if err != nil {
		return err
	}
	defer messages.Stop()
	if w.twin {
		return consume(ctx, from(ctx, messages), newTwin(ctx, doIn(l)))
	}
	rt := freerun.New()
	defer rt.Close()
	return consume(rt.Scope(ctx).Context(), from(ctx, messages), newKeyed(rt, doIn(l)))
}

const slowest = "customer 0"

func (w work) wait(e event) time.Duration {
	if e.Customer == slowest {
		return w.slow
	}
	return 0
}

// events returns the first event of each customer, then the second ones, and so on.
func (w work) events() (all []event) {
	for number := range w.each {
		for customer := range w.customers {
			all = append(all, event{"customer " + strconv.Itoa(customer), number + 1, 1})
		}
	}
	return all
}
