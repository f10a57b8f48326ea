package main

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/freerun-go/freerun"
)

// message is one of a queue. Those of package jetstream are.
type message interface {
	Data() []byte
	Ack() error
	NakWithDelay(time.Duration) error
	Term() error
}

// job is a message with what it says.
type job struct {
	event
	message
}

// pool runs the jobs of one customer one after another, in the order in which they were submitted,
// and those of different customers in parallel. A [freerun.Keyed] is one, and so is the twin.
type pool interface {
	Submit(ctx context.Context, customer string, j job) error
	Wait(ctx context.Context) error
}

// newKeyed returns the pool of freerun. How many jobs are open is limited by the queue, which
// delivers no more than mostOpen before it has their answers.
func newKeyed(rt *freerun.Runtime, do func(context.Context, job) error) pool {
	limits := freerun.KeyedLimits{Total: mostOpen}
	return freerun.NewKeyed(rt, limits, func(c *freerun.Context, _ string, j job) (err error) {
		c.Block(func() { err = do(c, j) }) // waits for the ledger: other jobs run meanwhile
		return err
	})
}

// pause is how long it takes until a message that failed comes again.
const pause = 100 * time.Millisecond

// doIn returns what is done with a job: it has its effect, and is acknowledged after that. If it
// fails, the queue delivers it again; those behind it find that it is missing, and come again, too.
func doIn(l *ledger) func(context.Context, job) error {
	return func(ctx context.Context, j job) error {
		if l.add(ctx, j.event) != nil {
			return j.NakWithDelay(pause)
		}
		return j.Ack()
	}
}

// consume submits what comes until next fails, as it does when ctx ends, and waits for the jobs
// that have begun. What was not acknowledged by then will be delivered again.
func consume(ctx context.Context, next func() (message, error), p pool) error {
	for {
		m, err := next()
		j := job{message: m}
		switch {
		case err != nil:
		case json.Unmarshal(m.Data(), &j.event) != nil:
			err = m.Term() // no delivery will make it an event
		default:
			err = p.Submit(ctx, j.Customer, j)
		}
		if err != nil {
			return errors.Join(err, p.Wait(context.WithoutCancel(ctx)))
		}
	}
}
