package tour_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/freerun-go/freerun"
)

//tour:begin scope
var pay = freerun.Op("pay", func(c *freerun.Context, a *Account, to *freerun.Unit[Account]) (int, error) {
	if a.Balance < 10 {
		return a.Balance, errFunds
	}
	a.Balance -= 10
	return a.Balance, deposit.Tell(c, to, 10) // belongs to the scope of pay's message
})

//tour:end

func Example_scope() {
	ctx := context.Background()
	rt := freerun.New(freerun.Logger(slog.New(slog.DiscardHandler)))
	defer rt.Close()
	//tour:begin scope-wait
	ada, bob := freerun.NewUnit(rt, Account{Balance: 15}), freerun.NewUnit(rt, Account{})
	s := rt.Scope(ctx, freerun.ScopeName("payday")) // has ctx's deadline and values
	defer s.Cancel(nil)                             // as with context.WithCancel
	for range 2 {
		pay.Tell(s.Context(), ada, bob)
	}
	fmt.Println(s.Wait(ctx)) // both payments are done, and the deposit that followed
	fmt.Println(deposit.Send(rt.Context(), bob, 0).Wait(ctx))
	// Output:
	// freerun: scope payday: tour_test.pay: insufficient funds
	// 10 <nil>
	//tour:end
}

func Example_cancel() {
	ctx := context.Background()
	rt := freerun.New()
	defer rt.Close()
	//tour:begin cancel
	s := rt.Scope(ctx)
	later, _ := deposit.SendAfter(s.Context(), time.Hour, freerun.NewUnit(rt, Account{}), 5)
	s.Cancel(errors.New("the shop is closed"))
	_, err := later.Wait(ctx)
	fmt.Println(errors.Is(err, freerun.ErrCanceled), err)
	// Output: true freerun: canceled: the shop is closed
	//tour:end
}

type tenant struct{} // keys are of types of one's own, as for context.WithValue

func Example_values() {
	ctx := context.Background()
	rt := freerun.New()
	defer rt.Close()
	ada := freerun.NewUnit(rt, Account{})
	//tour:begin values
	note := func(c *freerun.Context, balance int) (string, error) {
		return fmt.Sprintf("%v has %d", c.Value(tenant{}), balance), nil
	}
	c := rt.Context().WithValue(tenant{}, "acme")
	noted := freerun.Go(c, func(c *freerun.Context) (string, error) {
		return freerun.Forward(c, freerun.Then(c, deposit.Send(c, ada, 5), note))
	})
	fmt.Println(noted.Wait(ctx))
	// Output: acme has 5 <nil>
	//tour:end
}
