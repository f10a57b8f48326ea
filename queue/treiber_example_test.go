package queue_test

import (
	"fmt"
	"sync"

	"github.com/freerun-go/freerun/queue"
)

// Many goroutines use buffers again: the one used last, which is still in the cache, comes first.
func ExampleStack() {
	var spare queue.Stack[[]byte]
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			buffer, ok := spare.TryPop()
			if !ok {
				buffer = make([]byte, 0, 64)
			}
			buffer = append(buffer, "text"...)
			spare.Push(buffer[:0])
		})
	}
	all.Wait()
	fmt.Println(spare.Len() >= 1, spare.Len() <= 4)
	// Output: true true
}

// TakeAll empties the stack at once.
func ExampleStack_TakeAll() {
	var s queue.Stack[int]
	for v := range 3 {
		s.Push(v)
	}
	for v := range s.TakeAll() {
		fmt.Println(v)
	}
	fmt.Println(s.Len())
	// Output:
	// 2
	// 1
	// 0
	// 0
}
