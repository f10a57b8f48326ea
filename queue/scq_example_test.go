package queue_test

import (
	"fmt"

	"github.com/freerun-go/freerun/queue"
)

// A queue for three items has room for four.
func ExampleStrictMPMC() {
	q := queue.NewStrictMPMC[string](3)
	for _, name := range []string{"ada", "bob", "cleo", "dan", "eve"} {
		if !q.TryEnqueue(name) {
			fmt.Println("no room for", name, "beside", q.Len())
		}
	}
	for {
		name, ok := q.TryDequeue()
		if !ok {
			break
		}
		fmt.Println(name)
	}
	// Output:
	// no room for eve beside 4
	// ada
	// bob
	// cleo
	// dan
}
