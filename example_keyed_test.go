package freerun_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/freerun-go/freerun"
)

// The events of each customer are handled in their order, those of different customers in parallel.
func ExampleKeyed() {
	rt := freerun.New()
	defer rt.Close()
	ctx := context.Background()

	var ada, bob []string // each is touched by the jobs of one key
	k := freerun.NewKeyed(rt, freerun.KeyedLimits{Total: 1000, PerKey: 10},
		func(_ *freerun.Context, customer, event string) error {
			switch {
			case event == "unknown":
				return errors.New("what is that?")
			case customer == "ada":
				ada = append(ada, event)
			case customer == "bob":
				bob = append(bob, event)
			}
			return nil
		})
	for _, event := range []string{"ordered", "unknown", "paid", "left"} {
		k.Submit(ctx, "ada", event)
		k.Submit(ctx, "bob", event)
		if event == "ordered" {
			fmt.Println(k.Wait(ctx)) // may be called again
		}
	}
	fmt.Println(k.Wait(ctx) != nil, ada, bob)
	// Output:
	// <nil>
	// true [ordered paid left] [ordered paid left]
}
