package tour_test

import (
	"context"
	"fmt"

	"github.com/freerun-go/freerun"
)

//tour:begin units
type Account struct {
	Owner   string
	Balance int
}

var deposit = freerun.Op("deposit", func(c *freerun.Context, a *Account, amount int) (int, error) {
	a.Balance += amount // no other operation touches a while this one runs
	return a.Balance, nil
})

//tour:end

func Example_units() {
	//tour:begin sends
	ctx := context.Background()
	rt := freerun.New() // starts as many processors as GOMAXPROCS
	defer rt.Close()
	ada := freerun.NewUnit(rt, Account{Owner: "ada"})

	deposit.Tell(rt.Context(), ada, 5)       // a message without an answer
	f := deposit.Send(rt.Context(), ada, 10) // a message with an answer: a future
	balance, err := f.Wait(ctx)              // an ordinary goroutine may wait for it
	fmt.Println(balance, err)
	// Output: 15 <nil>
	//tour:end
}

func Example_closures() {
	ctx := context.Background()
	rt := freerun.New()
	defer rt.Close()
	//tour:begin closures
	ada := freerun.NewUnit(rt, Account{Owner: "ada", Balance: 7})

	owner := freerun.Do(rt.Context(), ada, func(c *freerun.Context, a *Account) (string, error) {
		return a.Owner, nil // has ada's state to itself
	})
	answer := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
		return 6 * 7, nil // has no unit: runs on any processor, in parallel with everything
	})
	fmt.Println(owner.Wait(ctx))
	fmt.Println(answer.Wait(ctx))
	// Output:
	// ada <nil>
	// 42 <nil>
	//tour:end
}
