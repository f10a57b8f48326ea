package tour_test

import (
	"context"
	"fmt"

	"github.com/freerun-go/freerun"
)

func Example_join() {
	ctx := context.Background()
	rt := freerun.New()
	defer rt.Close()
	//tour:begin join
	sum := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
		x, y := freerun.Join(c,
			func(c *freerun.Context) int { return 20 }, // runs here
			func(c *freerun.Context) int { return 22 }) // here, too, or on another processor
		return x + y, nil // both have ended
	})
	fmt.Println(sum.Wait(ctx))

	squares := make([]int, 5)
	freerun.For(rt.Context(), len(squares), func(c *freerun.Context, i int) { squares[i] = i * i })
	fmt.Println(squares)
	// Output:
	// 42 <nil>
	// [0 1 4 9 16]
	//tour:end
}

//tour:begin branch
var fib = freerun.NewForkFunc[int, int](nil) // fib refers to itself, so it gets its body apart

var _ = freerun.Define(fib, func(c *freerun.Context, n int) int {
	if n < 2 {
		return n
	}
	x, y := fib.Join(c, n-1, n-2)
	return x + y
})

//tour:end

func Example_branch() {
	rt := freerun.New()
	defer rt.Close()
	//tour:begin branch-run
	fmt.Println(fib.Run(rt.Context(), 20))
	// Output: 6765
	//tour:end
}

//tour:begin small
var tree = freerun.SmallOp[int, int]("tree", nil)

var _ = freerun.Define(tree, func(c *freerun.Context, depth int) (int, error) {
	if depth == 0 {
		return 1, nil
	}
	left := tree.Send(c, depth-1) // a plain call, while all processors are busy
	right := tree.Send(c, depth-1)
	return freerun.Forward(c, add.Send(c, terms{left, right})) // a call, too, if both are there
})

type terms struct{ X, Y freerun.Future[int] }

var add = freerun.SmallOp("add", func(_ *freerun.Context, t terms) (int, error) { return t.X.Value() + t.Y.Value(), nil })

//tour:end

func Example_small() {
	ctx := context.Background()
	rt := freerun.New()
	defer rt.Close()
	//tour:begin small-sent
	fmt.Println(tree.Send(rt.Context(), 10).Wait(ctx))
	// Output: 1024 <nil>
	//tour:end
}
