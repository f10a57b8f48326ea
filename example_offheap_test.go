package freerun_test

import (
	"fmt"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/offheap"
	"github.com/freerun-go/freerun/offheap/gc"
)

// pearl is an object outside of Go's heap.
type pearl struct{ next gc.Pointer[pearl] }

// Processors that have nothing else to do collect a heap of offheap/gc. A message of the lowest
// priority does a little of the collection, and sends the next one while there is more to do.
func Example_collector() {
	arena, err := offheap.New(64 << 20)
	if err != nil {
		panic(err)
	}
	defer arena.Close()
	heap, err := gc.New(arena, gc.Least(1<<20))
	if err != nil {
		panic(err)
	}
	defer heap.Close()
	rt := freerun.New()
	defer rt.Close() // before the heap is closed

	var collect func(c *freerun.Context) (struct{}, error)
	collect = func(c *freerun.Context) (struct{}, error) {
		if heap.Step(2000) { // some 50 µs
			freerun.Go(c, collect)
		}
		return struct{}{}, nil
	}
	idle := rt.Context().WithPriority(freerun.Idle)
	freerun.Every(idle, time.Millisecond, func(c *freerun.Context) error {
		_, err := collect(c)
		return err
	})

	pearls, err := gc.For[pearl](heap)
	if err != nil {
		panic(err)
	}
	var strand gc.Root[pearl]
	for i := range 1_000_000 {
		p, err := pearls.New()
		if err != nil {
			panic(err)
		}
		if i%1000 > 0 { // otherwise a new strand begins, and the strand before becomes garbage
			p.Value().next.Store(heap, strand)
		}
		strand.Drop()
		strand = p
	}
	strand.Drop()
	fmt.Println(heap.Stats().Freed > 0)
	// Output: true
}
