package queue_test

import (
	"fmt"
	"sync"

	"github.com/freerun-go/freerun/queue"
)

// Several goroutines leave work for any goroutine that has time.
func ExampleUnboundedMPMC() {
	var numbers queue.UnboundedMPMC[int]
	var producers sync.WaitGroup
	for p := range 4 {
		producers.Go(func() {
			for i := range 25 {
				numbers.Enqueue(25*p + i)
			}
		})
	}
	producers.Wait()

	sum := 0
	for n, ok := numbers.TryDequeue(); ok; n, ok = numbers.TryDequeue() {
		sum += n
	}
	fmt.Println(sum)
	// Output: 4950
}
