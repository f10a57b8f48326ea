package queue_test

import (
	"fmt"
	"sync"

	"github.com/freerun-go/freerun/queue"
)

// Any goroutine may enqueue and dequeue; none waits for another.
func ExampleSegmentedMPMC() {
	var q queue.SegmentedMPMC[string]
	var wg sync.WaitGroup
	for _, city := range []string{"Lima", "Oslo", "Rome"} {
		wg.Go(func() { q.Enqueue(city) })
	}
	wg.Wait()

	letters := 0
	for {
		city, ok := q.TryDequeue()
		if !ok {
			break
		}
		letters += len(city)
	}
	fmt.Println(letters, "letters,", q.Len(), "left")
	// Output: 12 letters, 0 left
}

// A batch costs less than its items one by one, and keeps their order.
func ExampleSegmentedMPMC_DequeueN() {
	var q queue.SegmentedMPMC[int]
	q.EnqueueN([]int{1, 2, 3, 4, 5})

	batch := make([]int, 3)
	for n := q.DequeueN(batch); n > 0; n = q.DequeueN(batch) {
		fmt.Println(batch[:n])
	}
	// Output:
	// [1 2 3]
	// [4 5]
}
