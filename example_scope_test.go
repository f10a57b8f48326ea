package freerun_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/freerun-go/freerun"
)

var pay = freerun.Op("pay", func(c *freerun.Context, a *account, to *freerun.Unit[account]) (int, error) {
	if a.balance < 10 {
		return a.balance, errFunds
	}
	a.balance -= 10
	return a.balance, deposit.Tell(c, to, 10) // belongs to the scope, too
})

// All messages sent under a scope, and all that follow from them, are awaited together. The error
// names the operation that failed first, and the operations that sent it: here none, as an ordinary
// goroutine sent it.
func ExampleRuntime_Scope() {
	rt := freerun.New()
	defer rt.Close()
	ctx := context.Background()
	ada, bob := freerun.NewUnit(rt, account{balance: 15}), freerun.NewUnit(rt, account{})

	s := rt.Scope(ctx, freerun.ScopeName("payday"))
	defer s.Cancel(nil)
	for range 2 {
		pay.Tell(s.Context(), ada, bob)
	}
	err := s.Wait(ctx)
	fmt.Println(err)
	fmt.Println(errors.Is(err, errFunds))
	fmt.Println(deposit.Send(rt.Context(), bob, 0).Wait(ctx))
	// Output:
	// freerun: scope payday: freerun_test.pay: insufficient funds
	// true
	// 10 <nil>
}

// Messages that have not started when their scope is canceled fail with ErrCanceled and the cause.
func ExampleScope_Cancel() {
	rt := freerun.New()
	defer rt.Close()
	s := rt.Scope(context.Background())
	late, _ := deposit.SendAfter(s.Context(), time.Hour, freerun.NewUnit(rt, account{}), 5)
	s.Cancel(errors.New("the shop is closed"))
	_, err := late.Wait(context.Background())
	fmt.Println(err, errors.Is(err, freerun.ErrCanceled))
	// Output: freerun: canceled: the shop is closed true
}

// An operation makes a scope for its own sends. That scope is canceled when the operation's scope
// is canceled.
func ExampleContext_WithScope() {
	rt := freerun.New()
	defer rt.Close()
	ada := freerun.NewUnit(rt, account{})
	var inner *freerun.Scope
	freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
		inner = rt.Scope(c)
		for range 3 {
			deposit.Tell(c.WithScope(inner), ada, 5)
		}
		return 0, nil
	}).Wait(context.Background())
	fmt.Println(inner.Wait(context.Background()))
	fmt.Println(deposit.Send(rt.Context(), ada, 0).Wait(context.Background()))
	// Output:
	// <nil>
	// 15 <nil>
}

func ExampleContext_WithPriority() {
	rt := freerun.New()
	defer rt.Close()
	ada := freerun.NewUnit(rt, account{})
	freerun.Do(rt.Context().WithPriority(freerun.High), ada, func(c *freerun.Context, a *account) (int, error) {
		fmt.Println(c.Priority())
		return 0, nil
	}).Wait(context.Background())
	archive := freerun.NewUnit(rt, account{}, freerun.UnitPriority(freerun.Idle))
	freerun.Do(rt.Context(), archive, func(c *freerun.Context, a *account) (int, error) {
		fmt.Println(c.Priority())
		return 0, nil
	}).Wait(context.Background())
	// Output:
	// high
	// idle
}

func ExampleAfter() {
	rt := freerun.New()
	defer rt.Close()
	begun := time.Now()
	f := freerun.Then(rt.Context(), freerun.After(rt.Context(), 10*time.Millisecond), func(_ *freerun.Context, at time.Time) (bool, error) {
		return at.Sub(begun) >= 10*time.Millisecond, nil
	})
	fmt.Println(f.Wait(context.Background()))
	// Output: true <nil>
}

func ExampleEvery() {
	rt := freerun.New()
	defer rt.Close()
	s := rt.Scope(context.Background())
	runs, done := 0, make(chan struct{})
	freerun.Every(s.Context(), time.Millisecond, func(c *freerun.Context) error {
		if runs++; runs == 3 {
			s.Cancel(nil)
			close(done)
		}
		return nil
	})
	<-done
	s.Wait(context.Background()) // for the last run
	fmt.Println(runs)
	// Output: 3
}
