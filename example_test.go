package freerun_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/freerun-go/freerun"
)

type account struct {
	owner   string
	balance int
}

var errFunds = errors.New("insufficient funds")

var (
	deposit = freerun.Op("deposit", func(c *freerun.Context, a *account, amount int) (int, error) {
		a.balance += amount
		return a.balance, nil
	})
	withdraw = freerun.Op("withdraw", func(c *freerun.Context, a *account, amount int) (int, error) {
		if a.balance < amount {
			return a.balance, errFunds
		}
		a.balance -= amount
		return a.balance, nil
	})
)

func Example() {
	rt := freerun.New()
	defer rt.Close()
	ada := freerun.NewUnit(rt, account{owner: "ada"})
	for range 10 {
		deposit.Tell(rt.Context(), ada, 5)
	}
	balance, err := withdraw.Send(rt.Context(), ada, 20).Wait(context.Background())
	fmt.Println(balance, err)
	_, err = withdraw.Send(rt.Context(), ada, 100).Wait(context.Background())
	fmt.Println(err)
	// Output:
	// 30 <nil>
	// insufficient funds
}

// The only way to wait inside the runtime: a message that takes futures starts when they are
// resolved.
func ExampleFreeOp() {
	type sum struct{ X, Y freerun.Future[int] }
	plus := freerun.FreeOp("sum", func(c *freerun.Context, s sum) (int, error) {
		return s.X.Value() + s.Y.Value(), nil
	})
	rt := freerun.New()
	defer rt.Close()
	three := freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { return 3, nil })
	four := freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { return 4, nil })
	fmt.Println(plus.Send(rt.Context(), sum{three, four}).Wait(context.Background()))
	// Output: 7 <nil>
}

func ExampleDo() {
	rt := freerun.New()
	defer rt.Close()
	u := freerun.NewUnit(rt, account{owner: "ada", balance: 7})
	owner := freerun.Do(rt.Context(), u, func(c *freerun.Context, a *account) (string, error) { return a.owner, nil })
	fmt.Println(owner.Wait(context.Background()))
	// Output: ada <nil>
}

func ExampleThen() {
	rt := freerun.New()
	defer rt.Close()
	f := freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { return 6, nil })
	text := freerun.Then(rt.Context(), f, func(c *freerun.Context, v int) (string, error) { return fmt.Sprint("six is ", v), nil })
	fmt.Println(text.Wait(context.Background()))
	// Output: six is 6 <nil>
}

// An operation that leaves its result to another operation forwards the future of that operation.
func ExampleForward() {
	rt := freerun.New()
	defer rt.Close()
	ada := freerun.NewUnit(rt, account{owner: "ada", balance: 10})
	pay := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
		return freerun.Forward(c, withdraw.Send(c, ada, 4))
	})
	fmt.Println(pay.Wait(context.Background()))
	// Output: 6 <nil>
}

// A promise stands for what comes from outside: here the answer of a driver that calls back. The
// operation that asks does not wait, and neither does its unit.
func ExampleNewPromise() {
	rt := freerun.New()
	defer rt.Close()
	query := func(answer func(rows int, err error)) { go answer(3, nil) } // of some driver
	ada := freerun.NewUnit(rt, account{owner: "ada"})
	rows := freerun.Do(rt.Context(), ada, func(c *freerun.Context, a *account) (int, error) {
		p := freerun.NewPromise[int](c)
		query(func(rows int, err error) { p.Resolve(rows, err) })
		return freerun.Forward(c, p.Future())
	})
	fmt.Println(rows.Wait(context.Background()))
	// Output: 3 <nil>
}

func ExampleMailboxLimit() {
	rt := freerun.New()
	defer rt.Close()
	blocked := make(chan struct{})
	u := freerun.NewUnit(rt, 0, freerun.MailboxLimit(2, freerun.Reject))
	freerun.Do(rt.Context(), u, func(*freerun.Context, *int) (int, error) { <-blocked; return 0, nil })
	for {
		f := freerun.Do(rt.Context(), u, func(_ *freerun.Context, n *int) (int, error) { *n++; return *n, nil })
		if _, err := f.Result(); errors.Is(err, freerun.ErrFull) {
			fmt.Println(err)
			break
		}
	}
	close(blocked)
	// Output: freerun: the unit's mailbox is full: a unit of int, which has room for 2
}

func ExampleRestartOnPanic() {
	rt := freerun.New(freerun.Logger(slog.New(slog.DiscardHandler)))
	defer rt.Close()
	cache := freerun.NewUnit(rt, map[string]int{"a": 1}, freerun.RestartOnPanic(func() map[string]int { return map[string]int{} }, 5, time.Minute))
	freerun.Do(rt.Context(), cache, func(*freerun.Context, *map[string]int) (int, error) { panic("corrupt") })
	n, err := freerun.Do(rt.Context(), cache, func(_ *freerun.Context, m *map[string]int) (int, error) { return len(*m), nil }).Wait(context.Background())
	fmt.Println(n, err)
	// Output: 0 <nil>
}

// Two accounts at once: no operation sees the money in neither account, and two transfers in
// opposite directions cannot deadlock.
func ExampleWhen2() {
	rt := freerun.New()
	defer rt.Close()
	ada := freerun.NewUnit(rt, account{owner: "ada", balance: 10})
	bob := freerun.NewUnit(rt, account{owner: "bob"})
	paid := freerun.When2(rt.Context(), ada, bob, func(c *freerun.Context, from, to *account) (string, error) {
		from.balance -= 4
		to.balance += 4
		return fmt.Sprint(from.owner, " ", from.balance, ", ", to.owner, " ", to.balance), nil
	})
	fmt.Println(paid.Wait(context.Background()))
	// Output: ada 6, bob 4 <nil>
}

// A sum over any number of units, taken at one instant.
func ExampleWhenAll() {
	rt := freerun.New()
	defer rt.Close()
	bank := []*freerun.Unit[account]{
		freerun.NewUnit(rt, account{balance: 10}), freerun.NewUnit(rt, account{balance: 20}), freerun.NewUnit(rt, account{balance: 30}),
	}
	money := freerun.WhenAll(rt.Context(), bank, func(c *freerun.Context, accounts []*account) (int, error) {
		sum := 0
		for _, a := range accounts {
			sum += a.balance
		}
		return sum, nil
	})
	fmt.Println(money.Wait(context.Background()))
	// Output: 60 <nil>
}

var move = freerun.Op2("move", func(c *freerun.Context, from, to *account, amount int) (int, error) {
	if from.balance < amount {
		return from.balance, errors.New("insufficient funds")
	}
	from.balance -= amount
	to.balance += amount
	return to.balance, nil
})

// A named operation on two units, declared once.
func ExampleOp2() {
	rt := freerun.New()
	defer rt.Close()
	ada, bob := freerun.NewUnit(rt, account{balance: 10}), freerun.NewUnit(rt, account{})
	move.Tell(rt.Context(), ada, bob, 3)
	fmt.Println(move.Send(rt.Context(), bob, ada, 1).Wait(context.Background()))
	fmt.Println(move.Send(rt.Context(), bob, ada, 50).Wait(context.Background()))
	// Output:
	// 8 <nil>
	// 0 insufficient funds
}

// Units whose states differ take part in one operation if the type of their state is an interface.
type bookable interface {
	book(who string) bool
	cancel(who string)
}

type flight struct{ seats int }

func (f *flight) book(string) bool {
	if f.seats == 0 {
		return false
	}
	f.seats--
	return true
}
func (f *flight) cancel(string) { f.seats++ }

type room struct{ guest string }

func (r *room) book(who string) bool {
	if r.guest != "" {
		return false
	}
	r.guest = who
	return true
}
func (r *room) cancel(string) { r.guest = "" }

var bookAll = freerun.OpAll("bookAll", func(_ *freerun.Context, all []*bookable, who string) (bool, error) {
	for i, b := range all {
		if !(*b).book(who) {
			for _, booked := range all[:i] {
				(*booked).cancel(who)
			}
			return false, nil
		}
	}
	return true, nil
})

func ExampleOpAll() {
	rt := freerun.New()
	defer rt.Close()
	out := freerun.NewUnit[bookable](rt, &flight{seats: 2})
	hotel := freerun.NewUnit[bookable](rt, &room{})
	home := freerun.NewUnit[bookable](rt, &flight{seats: 2})
	trip := []*freerun.Unit[bookable]{out, hotel, home}
	fmt.Println(bookAll.Send(rt.Context(), trip, "ada").Wait(context.Background()))
	fmt.Println(bookAll.Send(rt.Context(), trip, "bob").Wait(context.Background()))
	fmt.Println(freerun.Do(rt.Context(), out, func(_ *freerun.Context, b *bookable) (int, error) {
		return (*b).(*flight).seats, nil
	}).Wait(context.Background()))
	// Output:
	// true <nil>
	// false <nil>
	// 1 <nil>
}

// Read operations may run at the same time. A write waits for the reads sent before it, and later
// reads wait for the write.
func ExampleRead() {
	rt := freerun.New()
	defer rt.Close()
	ada := freerun.NewUnit(rt, account{owner: "ada", balance: 10})
	owner := freerun.Read(rt.Context(), ada, func(c *freerun.Context, a *account) (string, error) { return a.owner, nil })
	balance := freerun.Read(rt.Context(), ada, func(c *freerun.Context, a *account) (int, error) { return a.balance, nil })
	fmt.Println(owner.Wait(context.Background()))
	fmt.Println(balance.Wait(context.Background()))
	// Output:
	// ada <nil>
	// 10 <nil>
}

// An operation that sends to itself is declared without its function, which it gets in a variable
// of its own: a package variable of Go must not refer to itself.
var collatz = freerun.FreeOp[int, string]("collatz", nil)

var _ = freerun.Define(collatz, func(c *freerun.Context, n int) (string, error) {
	switch {
	case n == 1:
		return "1 at last", nil
	case n%2 == 0:
		return freerun.Forward(c, collatz.Send(c, n/2))
	default:
		return freerun.Forward(c, collatz.Send(c, 3*n+1))
	}
})

func ExampleDefine() {
	rt := freerun.New()
	defer rt.Close()
	fmt.Println(collatz.Send(rt.Context(), 27).Wait(context.Background()))
	// Output: 1 at last <nil>
}
