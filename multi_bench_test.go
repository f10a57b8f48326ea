package freerun_test

import (
	"fmt"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// BenchmarkSorts compares the costs of messages of each sort. An operation sends them to idle
// units, so that each message is alone, or all to one unit.
func BenchmarkSorts(b *testing.B) {
	rt := freerun.New(freerun.Processors(1))
	defer rt.Close()
	const batch = 256
	units := make([]*freerun.Unit[int], 2*batch)
	for i := range units {
		units[i] = freerun.NewUnit(rt, 0)
	}
	sorts := map[string]func(c *freerun.Context, x, y *freerun.Unit[int]){
		"operation": func(c *freerun.Context, x, _ *freerun.Unit[int]) { runtimetest.AddOne.Send(c, x, 1) },
		"reader":    func(c *freerun.Context, x, _ *freerun.Unit[int]) { lookAt.Send(c, x, 1) },
		"two units": func(c *freerun.Context, x, y *freerun.Unit[int]) { addBoth.Send(c, x, y, 1) },
	}
	for _, name := range []string{"operation", "reader", "two units"} {
		for _, spread := range []int{1, batch} {
			b.Run(fmt.Sprintf("%s/%d", name, spread), func(b *testing.B) {
				for sent := 0; b.Loop(); sent++ {
					if sent%batch != 0 {
						continue
					}
					freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
						for i := range batch {
							sorts[name](c, units[i%spread], units[batch+i%spread])
						}
						return 0, nil
					})
					if err := rt.Quiesce(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

var addBoth = freerun.Op2("addBoth", func(_ *freerun.Context, x, y *int, n int) (int, error) {
	*x += n
	*y += n
	return *x, nil
})
