package freerun_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/freerun-go/freerun"
)

type ticker struct{ last int }

var showPrice = freerun.Op("showPrice", func(_ *freerun.Context, t *ticker, price int) (int, error) {
	t.last = price
	return price, nil
})

// Subscribers that are too slow miss what they have no room for, and Publish tells who they are.
func ExampleTopic() {
	ctx := context.Background()
	rt := freerun.New(freerun.Deterministic(1))
	defer rt.Close()

	var prices freerun.Topic[int]
	screen := freerun.NewUnit(rt, ticker{})
	freerun.SubscribeNewest(&prices, showPrice, screen, 1)             // the last price only
	audit, log := freerun.SubscribeMailbox(&prices, 2, freerun.Reject) // it needs all prices

	freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
		for _, price := range []int{101, 102, 103} {
			var missed *freerun.PublishError
			if err := prices.Publish(c, price); errors.As(err, &missed) {
				fmt.Println(price, "is missed by", missed.Missed)
			}
		}
		return 0, nil
	}).Wait(ctx)

	last, _ := freerun.Read(rt.Context(), screen, func(_ *freerun.Context, t *ticker) (int, error) { return t.last, nil }).Wait(ctx)
	fmt.Println("the screen shows", last)
	first, _ := audit.Receive(ctx)
	fmt.Println("the audit has", first, "and has missed", log.Missed())
	// Output:
	// 103 is missed by [a mailbox]
	// the screen shows 103
	// the audit has 101 and has missed 1
}
