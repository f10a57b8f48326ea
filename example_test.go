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
	deposit = freerun.Op("example.deposit", func(c *freerun.Context, a *account, amount int) (int, error) {
		a.balance += amount
		return a.balance, nil
	})
	withdraw = freerun.Op("example.withdraw", func(c *freerun.Context, a *account, amount int) (int, error) {
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

// The only way to wait inside the runtime: a message that takes futures starts when they are resolved.
func ExampleFreeOp() {
	type sum struct{ X, Y freerun.Future[int] }
	plus := freerun.FreeOp("example.plus", func(c *freerun.Context, s sum) (int, error) {
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

// An operation that leaves its result to another forwards that one's future.
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

func ExampleMailbox() {
	rt := freerun.New()
	defer rt.Close()
	blocked := make(chan struct{})
	u := freerun.NewUnit(rt, 0, freerun.Mailbox(2, freerun.Refuse))
	freerun.Do(rt.Context(), u, func(*freerun.Context, *int) (int, error) { <-blocked; return 0, nil })
	for {
		f := freerun.Do(rt.Context(), u, func(_ *freerun.Context, n *int) (int, error) { *n++; return *n, nil })
		if _, err := f.Result(); errors.Is(err, freerun.ErrFull) {
			fmt.Println(err)
			break
		}
	}
	close(blocked)
	// Output: freerun: the unit's mailbox is full
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

// An operation runs two computations in parallel if a processor is free, and goes on when both are done.
func ExampleJoin() {
	rt := freerun.New()
	defer rt.Close()
	var count func(c *freerun.Context, from, to int) int // how many numbers in a range are divisible by 3 or 5
	count = func(c *freerun.Context, from, to int) (n int) {
		if to-from > 1000 {
			middle := (from + to) / 2
			left, right := freerun.Join(c,
				func(c *freerun.Context) int { return count(c, from, middle) },
				func(c *freerun.Context) int { return count(c, middle, to) })
			return left + right
		}
		for i := from; i < to; i++ {
			if i%3 == 0 || i%5 == 0 {
				n++
			}
		}
		return n
	}
	n, err := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) { return count(c, 0, 1_000_000), nil }).Wait(context.Background())
	fmt.Println(n, err)
	// Output: 466667 <nil>
}

// A function that forks itself refers to itself, so it is assigned in an init function.
var exampleFib *freerun.Branch[int, int]

func init() {
	exampleFib = freerun.Fork(func(c *freerun.Context, n int) int {
		if n < 2 {
			return n
		}
		x, y := exampleFib.Join(c, n-1, n-2)
		return x + y
	})
}

// The fast form of Join: a function declared once, and arguments instead of closures.
func ExampleBranch() {
	rt := freerun.New()
	defer rt.Close()
	fmt.Println(exampleFib.Call(rt.Context(), 30))
	// Output: 832040
}

func ExampleFor() {
	rt := freerun.New()
	defer rt.Close()
	squares := make([]int, 5)
	freerun.For(rt.Context(), len(squares), func(_ *freerun.Context, i int) { squares[i] = i * i })
	fmt.Println(squares)
	// Output: [0 1 4 9 16]
}

func ExampleForRange() {
	rt := freerun.New()
	defer rt.Close()
	image := make([]byte, 100_000)
	freerun.ForRange(rt.Context(), len(image), 4096, func(_ *freerun.Context, from, to int) {
		for i := range image[from:to] {
			image[from+i] = 255
		}
	})
	fmt.Println(image[0], image[99_999])
	// Output: 255 255
}

// The results are combined in the order of the indices, whoever computes them.
func ExampleReduce() {
	rt := freerun.New()
	defer rt.Close()
	text := freerun.Reduce(rt.Context(), 10,
		func(_ *freerun.Context, i int) string { return fmt.Sprint(i) },
		func(a, b string) string { return a + b })
	fmt.Println(text)
	// Output: 0123456789
}

func ExampleMap() {
	rt := freerun.New()
	defer rt.Close()
	fmt.Println(freerun.Map(rt.Context(), []string{"a", "bb", "ccc"}, func(_ *freerun.Context, s string) int { return len(s) }))
	// Output: [1 2 3]
}
