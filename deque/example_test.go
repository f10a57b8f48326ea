package deque_test

import (
	"fmt"

	"github.com/freerun-go/freerun/deque"
)

// The owner works on what it pushed last; a thief gets what was pushed first.
func ExampleGrowable() {
	type task struct{ name string }
	own := deque.NewGrowable[task]()
	for _, name := range []string{"whole", "half", "quarter"} {
		own.Push(&task{name})
	}
	thief := own.Thief() // for another goroutine
	stolen, outcome := thief.Steal()
	fmt.Println(stolen.name, outcome == deque.Stolen)
	for t := own.Pop(); t != nil; t = own.Pop() {
		fmt.Println(t.name)
	}
	_, outcome = thief.Steal()
	fmt.Println(outcome == deque.Empty)
	// Output:
	// whole true
	// quarter
	// half
	// true
}
