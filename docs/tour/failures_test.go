package tour_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/freerun-go/freerun"
)

func Example_failures() {
	ctx := context.Background()
	rt := freerun.New()
	defer rt.Close()
	//tour:begin failures
	ada := freerun.NewUnit(rt, Account{Balance: 5})
	paid := withdraw.Send(rt.Context(), ada, 20) // fails with errFunds
	receipt := freerun.Then(rt.Context(), paid, func(c *freerun.Context, left int) (string, error) {
		return fmt.Sprint("paid; left: ", left), nil // never runs
	})
	_, err := receipt.Wait(ctx)
	fmt.Println(errors.Is(err, errFunds))

	apology := freerun.Handle(rt.Context(), paid, func(c *freerun.Context, left int, err error) (string, error) {
		if err != nil {
			return fmt.Sprint("sorry: ", err), nil
		}
		return "paid", nil
	})
	fmt.Println(apology.Wait(ctx))
	// Output:
	// true
	// sorry: insufficient funds <nil>
	//tour:end
}

func Example_life() {
	ctx := context.Background()
	rt := freerun.New()
	defer rt.Close()
	//tour:begin life
	ada := freerun.NewUnit(rt, Account{Balance: 5})
	written := freerun.NewPromise[string](rt.Context()) // a store resolves it
	going := freerun.Suspend(rt.Context(), ada, written.Future())
	balance := deposit.Send(rt.Context(), ada, 10) // waits in ada's mailbox
	written.Resolve("on disk", nil)
	fmt.Println(going.Wait(ctx))   // ada goes on
	fmt.Println(balance.Wait(ctx)) // in its turn

	state, err := freerun.Retire(rt.Context(), ada).Wait(ctx) // nothing was behind
	fmt.Println(state.Balance, err)
	_, err = deposit.Send(rt.Context(), ada, 1).Wait(ctx)
	fmt.Println(errors.Is(err, freerun.ErrStopped))
	// Output:
	// on disk <nil>
	// 15 <nil>
	// 15 <nil>
	// true
	//tour:end
}

func Example_panics() {
	ctx := context.Background()
	rt := freerun.New(freerun.Logger(slog.New(slog.DiscardHandler)))
	defer rt.Close()
	//tour:begin panics
	empty := func() map[string]int { return map[string]int{} }
	restart := freerun.RestartOnPanic(empty, 5, time.Minute) // at most 5 times a minute
	cache := freerun.NewUnit(rt, empty(), restart)

	_, err := freerun.Do(rt.Context(), cache, func(c *freerun.Context, m *map[string]int) (int, error) {
		(*m)["half done"] = 1
		panic("corrupt")
	}).Wait(ctx)
	var panicked *freerun.PanicError
	fmt.Println(errors.As(err, &panicked), panicked.Value) // panicked.Stack tells where

	size := freerun.Do(rt.Context(), cache, func(c *freerun.Context, m *map[string]int) (int, error) {
		return len(*m), nil
	})
	fmt.Println(size.Wait(ctx)) // the unit has begun again with a new map
	// Output:
	// true corrupt
	// 0 <nil>
	//tour:end
}
