//go:build !explore

package gc_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/freerun-go/freerun/offheap"
	"github.com/freerun-go/freerun/offheap/gc"
)

// person is an object outside of Go's heap, with references to others.
type person struct {
	born    int
	friends [2]gc.Pointer[person]
}

func Example() {
	arena, err := offheap.New(1 << 20)
	if err != nil {
		panic(err)
	}
	defer arena.Close()
	heap, err := gc.New(arena)
	if err != nil {
		panic(err)
	}
	defer heap.Close()
	people, err := gc.For[person](heap)
	if err != nil {
		panic(err)
	}

	ada, _ := people.New()
	ada.Value().born = 1815
	charles, _ := people.New()
	charles.Value().born = 1791
	ada.Value().friends[0].Store(heap, charles)
	charles.Value().friends[0].Store(heap, ada) // a circle
	charles.Drop()                              // ada still has him

	friend := ada.Value().friends[0].Load(heap)
	fmt.Println(friend.Value().born)
	friend.Drop()

	heap.Collect(context.Background())
	fmt.Println(heap.Stats().Objects)
	ada.Drop()
	heap.Collect(context.Background())
	fmt.Println(heap.Stats().Objects)
	// Output:
	// 1791
	// 2
	// 0
}

// A field that Go's collector would have to look into is refused.
func ExampleFor() {
	arena, err := offheap.New(1 << 20)
	if err != nil {
		panic(err)
	}
	defer arena.Close()
	heap, err := gc.New(arena)
	if err != nil {
		panic(err)
	}
	defer heap.Close()
	type account struct {
		Owner   string
		Balance int
	}
	_, err = gc.For[account](heap)
	what, _, _ := strings.Cut(err.Error(), ",") // the rest says what to use instead
	fmt.Println(what)
	// Output:
	// gc: gc_test.account.Owner is a string
}
