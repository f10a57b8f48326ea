package michaelscott_test

import (
	"fmt"

	"github.com/freerun-go/freerun/internal/michaelscott"
)

// A scheduler runs its tasks in turns: a task that is not done goes back to the end of the queue,
// and brings along the node that the queue needs for it. Nothing is allocated but the tasks.
func ExampleIntrusiveMPMC() {
	type task struct {
		michaelscott.Item
		name  string
		steps int
	}
	var ready michaelscott.IntrusiveMPMC[*task]
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
