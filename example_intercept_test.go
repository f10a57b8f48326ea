package freerun_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/freerun-go/freerun"
)

type jar struct{ Coins int }

var errNoGift = errors.New("a gift needs a coin at least")

var give = freerun.Op("give", func(_ *freerun.Context, p *jar, coins int) (int, error) {
	p.Coins += coins
	return p.Coins, nil
})

// An interceptor sees each operation on its unit: here it refuses some before they run.
func ExampleIntercept() {
	rt := freerun.New()
	defer rt.Close()
	ada := freerun.NewUnit(rt, jar{}, freerun.Intercept(func(c *freerun.Context, i *freerun.Invocation) error {
		if coins, ok := i.Arg().(*int); ok && *coins < 1 {
			return errNoGift
		}
		return i.Next(c)
	}))

	fmt.Println(give.Call(context.Background(), ada, 5))
	fmt.Println(give.Call(context.Background(), ada, -5))
	// Output:
	// 5 <nil>
	// 0 a gift needs a coin at least
}

// The interceptors of a runtime see all operations, and what they return.
func ExampleInterceptAll() {
	rt := freerun.New(freerun.InterceptAll(func(c *freerun.Context, i *freerun.Invocation) error {
		err := i.Next(c)
		if total, ok := i.Result().(*int); ok {
			fmt.Println(i.Operation, *total, err)
		}
		return err
	}))
	defer rt.Close()
	give.Call(context.Background(), freerun.NewUnit(rt, jar{}), 3)
	// Output: github.com/freerun-go/freerun_test.give 3 <nil>
}
