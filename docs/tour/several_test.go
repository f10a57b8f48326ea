package tour_test

import (
	"context"
	"fmt"

	"github.com/freerun-go/freerun"
)

//tour:begin several
var transfer = freerun.Op2("transfer", func(c *freerun.Context, from, to *Account, amount int) (int, error) {
	if from.Balance < amount {
		return from.Balance, errFunds
	}
	from.Balance -= amount // has both states to itself
	to.Balance += amount
	return from.Balance, nil
})

//tour:end

func Example_several() {
	ctx := context.Background()
	rt := freerun.New()
	defer rt.Close()
	//tour:begin several-sent
	ada, bob := freerun.NewUnit(rt, Account{Balance: 10}), freerun.NewUnit(rt, Account{Balance: 10})
	transfer.Tell(rt.Context(), ada, bob, 3)
	transfer.Tell(rt.Context(), bob, ada, 4) // the other way round: cannot deadlock

	everyone := []*freerun.Unit[Account]{ada, bob}
	money := freerun.WhenAll(rt.Context(), everyone, func(c *freerun.Context, accounts []*Account) (int, error) {
		sum := 0
		for _, a := range accounts {
			sum += a.Balance
		}
		return sum, nil // true of one instant
	})
	fmt.Println(money.Wait(ctx))
	fmt.Println(transfer.Send(rt.Context(), ada, bob, 0).Wait(ctx))
	// Output:
	// 20 <nil>
	// 11 <nil>
	//tour:end
}

//tour:begin read
var balance = freerun.ReadOp("balance", func(c *freerun.Context, a *Account, _ struct{}) (int, error) {
	return a.Balance, nil // must not write
})

//tour:end

func Example_read() {
	ctx := context.Background()
	rt := freerun.New()
	defer rt.Close()
	//tour:begin read-sent
	ada := freerun.NewUnit(rt, Account{Balance: 10})
	x := balance.Send(rt.Context(), ada, struct{}{}) // these two may run
	y := balance.Send(rt.Context(), ada, struct{}{}) // at the same time
	deposit.Tell(rt.Context(), ada, 5)               // runs after both
	z := balance.Send(rt.Context(), ada, struct{}{}) // runs after the deposit
	fmt.Println(x.Wait(ctx))
	fmt.Println(y.Wait(ctx))
	fmt.Println(z.Wait(ctx))
	// Output:
	// 10 <nil>
	// 10 <nil>
	// 15 <nil>
	//tour:end
}
