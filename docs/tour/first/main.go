package main

import (
	"context"
	"fmt"

	"github.com/freerun-go/freerun"
)

type Account struct{ Balance int }

var deposit = freerun.Op("deposit", func(c *freerun.Context, a *Account, amount int) (int, error) {
	a.Balance += amount // no other operation touches a while this one runs
	return a.Balance, nil
})

func main() {
	rt := freerun.New() // as many processors as GOMAXPROCS
	defer rt.Close()
	ada, bob := freerun.NewUnit(rt, Account{}), freerun.NewUnit(rt, Account{})

	deposit.Tell(rt.Context(), ada, 5)       // no answer wanted, nothing allocated
	x := deposit.Send(rt.Context(), ada, 10) // returns a future at once
	y := deposit.Send(rt.Context(), bob, 20) // may run in parallel with ada's
	total := freerun.Then2(rt.Context(), x, y, func(c *freerun.Context, x, y int) (int, error) {
		return x + y, nil // starts when both results are there
	})
	fmt.Println(total.Wait(context.Background())) // 35 <nil>
}
