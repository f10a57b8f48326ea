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

// A scheduler runs its tasks in turns: a task that is not done goes back to the end of the queue,
// and brings along the node that the queue needs for it. Nothing is allocated but the tasks.
func ExampleIntrusiveMPMC() {
	type task struct {
		queue.Item
		name  string
		steps int
	}
	var ready queue.IntrusiveMPMC[*task]
	ready.Enqueue(&task{name: "long", steps: 3})
	ready.Enqueue(&task{name: "short", steps: 1})
	for t, ok := ready.TryDequeue(); ok; t, ok = ready.TryDequeue() {
		fmt.Println(t.name, t.steps)
		if t.steps--; t.steps > 0 {
			ready.Enqueue(t)
		}
	}
	// Output:
	// long 3
	// short 1
	// long 2
	// long 1
}
