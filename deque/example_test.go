package deque_test

import (
	"fmt"
	"time"

	"github.com/freerun-go/freerun/deque"
)

// The owner works on the task that it pushed last; a thief gets the task that was pushed first.
func ExampleGrowable() {
	type task struct{ name string }
	var own deque.Growable[task]
	for _, name := range []string{"whole", "half", "quarter"} {
		own.Push(&task{name})
	}
	thief := own.Thief() // for another goroutine
	stolen, outcome := thief.Steal()
	fmt.Println(stolen.name, outcome)
	for t, ok := own.Pop(); ok; t, ok = own.Pop() {
		fmt.Println(t.name)
	}
	_, outcome = thief.Steal()
	fmt.Println(outcome)
	// Output:
	// whole stolen
	// quarter
	// half
	// empty
}

// An owner whose deque is full does the work itself.
func ExampleBounded() {
	type task struct{ name string }
	own := deque.NewBounded[task](2)
	for _, name := range []string{"a", "b", "c"} {
		t := &task{name}
		if !own.TryPush(t) {
			fmt.Println("at once:", t.name)
		}
	}
	for t, ok := own.Pop(); ok; t, ok = own.Pop() {
		fmt.Println("later:", t.name)
	}
	// Output:
	// at once: c
	// later: b
	// later: a
}

// A Hybrid holds any values, here the bounds of slices that are still to be sorted.
func ExampleHybrid() {
	type part struct{ from, to int }
	var own deque.Hybrid[part]
	own.Push(part{0, 512})
	own.Push(part{512, 1024})
	if p, outcome := own.Thief().Steal(); outcome == deque.Stolen {
		fmt.Println("stolen:", p)
	}
	p, ok := own.Pop()
	fmt.Println("popped:", p, ok)
	// Output:
	// stolen: {0 512}
	// popped: {512 1024} true
}

// A thief that has looked everywhere in vain waits, for a limited time, for the deque whose lock
// another thief held.
func ExampleHybridThief_TrySteal() {
	var own deque.Hybrid[string] // the zero value is an empty deque
	own.Push("work")
	thief := own.Thief()
	v, outcome := thief.Steal()
	if outcome == deque.Retry {
		v, outcome = thief.TrySteal(time.Millisecond)
	}
	fmt.Println(v, outcome)
	// Output:
	// work stolen
}
