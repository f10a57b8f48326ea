package freerun_test

import (
	"context"
	"fmt"

	"github.com/freerun-go/freerun"
)

// An operation runs two computations in parallel if a processor is free, and goes on when both are
// done.
func ExampleJoin() {
	rt := freerun.New()
	defer rt.Close()
	// count returns how many numbers in a range are divisible by 3 or 5.
	var count func(c *freerun.Context, from, to int) int
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

// A function that forks itself refers to itself, so it gets its body apart from its declaration.
var exampleFib = freerun.NewForkFunc[int, int](nil)

var _ = freerun.Define(exampleFib, func(c *freerun.Context, n int) int {
	if n < 2 {
		return n
	}
	x, y := exampleFib.Join(c, n-1, n-2)
	return x + y
})

// The fast form of Join: a function declared once, and arguments instead of closures.
func ExampleForkFunc() {
	rt := freerun.New()
	defer rt.Close()
	fmt.Println(exampleFib.Run(rt.Context(), 20))
	// Output: 6765
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

// The results are combined in the order of the indices, on whichever processors they are computed.
func ExampleReduce() {
	rt := freerun.New()
	defer rt.Close()
	text := freerun.Reduce(rt.Context(), 10,
		func(_ *freerun.Context, i int) string { return fmt.Sprint(i) },
		func(a, b string) string { return a + b })
	fmt.Println(text)
	// Output: 0123456789
}
