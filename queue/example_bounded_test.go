package queue_test

import (
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/freerun-go/freerun/queue"
)

// One goroutine reads what another one writes. Neither ever waits for the other inside a call. The
// caller decides what to do when there is nothing to read, or no room: here it lets others run.
func ExampleSPSC() {
	lines := queue.NewSPSC[string](2)
	var wg sync.WaitGroup
	wg.Go(func() {
		for _, line := range []string{"to be", "or not", "to be"} {
			for !lines.TryEnqueue(line) {
				runtime.Gosched()
			}
		}
	})
	for read := 0; read < 3; {
		if line, ok := lines.TryDequeue(); ok {
			fmt.Println(line)
			read++
		} else {
			runtime.Gosched()
		}
	}
	wg.Wait()
	// Output:
	// to be
	// or not
	// to be
}

// Batches cost one atomic operation, however long they are.
func ExampleSPSC_EnqueueN() {
	samples := queue.NewSPSC[int](4)
	fmt.Println(samples.EnqueueN([]int{1, 2, 3, 4, 5, 6}), "fit")
	buffer := make([]int, 3)
	n := samples.DequeueN(buffer)
	fmt.Println(buffer[:n], samples.Len(), "left")
	// Output:
	// 4 fit
	// [1 2 3] 1 left
}

// Many goroutines report to one, which sums up.
func ExampleMPSC() {
	reports := queue.NewMPSC[int](64)
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for i := range 10 {
				reports.TryEnqueue(100*worker + i) // there is room for all of them
			}
		})
	}
	wg.Wait()
	sum := 0
	for v := range queue.Drain(reports) {
		sum += v
	}
	fmt.Println(sum)
	// Output: 6180
}

// One goroutine hands out work, and any worker that is free takes some.
func ExampleSPMC() {
	jobs := queue.NewSPMC[int](8)
	jobs.EnqueueN([]int{1, 2, 3, 4, 5, 6, 7, 8})
	var done [2][]int
	var wg sync.WaitGroup
	for worker := range done {
		wg.Go(func() {
			for job, ok := jobs.TryDequeue(); ok; job, ok = jobs.TryDequeue() {
				done[worker] = append(done[worker], job*job)
			}
		})
	}
	wg.Wait()
	all := append(done[0], done[1]...)
	slices.Sort(all)
	fmt.Println(all)
	// Output: [1 4 9 16 25 36 49 64]
}

// A free list: any goroutine takes buffers from it and gives them back. When it is empty a new
// buffer is made, and when it is full the surplus goes to the collector.
func ExampleMPMC() {
	free := queue.NewMPMC[[]byte](16)
	get := func() []byte {
		if b, ok := free.TryDequeue(); ok {
			return b[:0]
		}
		return make([]byte, 0, 4096)
	}
	put := func(b []byte) { free.TryEnqueue(b) }

	b := append(get(), "hello"...)
	fmt.Println(string(b))
	put(b)
	fmt.Println(free.Len())
	// Output:
	// hello
	// 1
}
