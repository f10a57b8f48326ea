package tour_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/freerun-go/freerun"
)

//tour:begin arguments
type invoice struct {
	Price  freerun.Future[int]
	Pieces int
}

var total = freerun.FreeOp("total", func(c *freerun.Context, i invoice) (int, error) {
	return i.Price.Value() * i.Pieces, nil // the message was held back until Price had its result
})

//tour:end

func Example_arguments() {
	ctx := context.Background()
	rt := freerun.New()
	defer rt.Close()
	//tour:begin arguments-sent
	price := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) { return 20, nil })
	sum := total.Send(rt.Context(), invoice{Price: price, Pieces: 3}) // does not wait for price
	fmt.Println(sum.Wait(ctx))
	// Output: 60 <nil>
	//tour:end
}

func Example_then() {
	ctx := context.Background()
	rt := freerun.New()
	defer rt.Close()
	//tour:begin then
	ada, bob := freerun.NewUnit(rt, Account{}), freerun.NewUnit(rt, Account{})
	x := deposit.Send(rt.Context(), ada, 10)
	y := deposit.Send(rt.Context(), bob, 20)
	text := freerun.Then(rt.Context(), x, func(c *freerun.Context, x int) (string, error) {
		return fmt.Sprint("ada has ", x), nil
	})
	sum := freerun.Then2(rt.Context(), x, y, func(c *freerun.Context, x, y int) (int, error) {
		return x + y, nil
	})
	fmt.Println(text.Wait(ctx))
	fmt.Println(sum.Wait(ctx))
	// Output:
	// ada has 10 <nil>
	// 30 <nil>
	//tour:end
}

func Example_refused() {
	ctx := context.Background()
	rt := freerun.New()
	defer rt.Close()
	//tour:begin refused
	ada := freerun.NewUnit(rt, Account{})
	_, err := freerun.Do(rt.Context(), ada, func(c *freerun.Context, a *Account) (int, error) {
		return deposit.Send(c, ada, 5).Wait(c) // ada is busy here: this would wait for ever
	}).Wait(ctx)
	fmt.Println(errors.Is(err, freerun.ErrWouldBlock))
	// Output: true
	//tour:end
}

//tour:begin forward
var errFunds = errors.New("insufficient funds")

var withdraw = freerun.Op("withdraw", func(c *freerun.Context, a *Account, amount int) (int, error) {
	if a.Balance < amount {
		return a.Balance, errFunds
	}
	a.Balance -= amount
	return a.Balance, nil
})

type order struct {
	Buyer *freerun.Unit[Account]
	Price int
}

var buy = freerun.FreeOp("buy", func(c *freerun.Context, o order) (int, error) {
	paid := withdraw.Send(c, o.Buyer, o.Price) // inside an operation: send through c
	return freerun.Forward(c, paid)            // the outcome of paid becomes the outcome of buy
})

//tour:end

func Example_forward() {
	ctx := context.Background()
	rt := freerun.New()
	defer rt.Close()
	//tour:begin forwarded
	ada := freerun.NewUnit(rt, Account{Balance: 30})
	fmt.Println(buy.Send(rt.Context(), order{ada, 20}).Wait(ctx))
	fmt.Println(buy.Send(rt.Context(), order{ada, 20}).Wait(ctx))
	// Output:
	// 10 <nil>
	// 0 insufficient funds
	//tour:end
}

func Example_promise() {
	ctx := context.Background()
	rt := freerun.New()
	defer rt.Close()
	//tour:begin promise
	// of a library that calls back
	lookup := func(name string, answer func(found string, err error)) {
		go answer("the address of "+name, nil)
	}
	address := freerun.Go(rt.Context(), func(c *freerun.Context) (string, error) {
		p := freerun.NewPromise[string](c)
		lookup("ada", func(found string, err error) { p.Resolve(found, err) })
		return freerun.Forward(c, p.Future())
	})
	fmt.Println(address.Wait(ctx))
	// Output: the address of ada <nil>
	//tour:end
}
