//go:build !explore

package gc_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/freerun-go/freerun/offheap"
	"github.com/freerun-go/freerun/offheap/gc"
)

// page is an object that may refer to another.
type page struct {
	number int
	next   gc.Pointer[page]
}

// openPages returns a heap of pages, and a function that closes it.
func openPages() (*gc.Heap, gc.Type[page], func()) {
	arena, err := offheap.New(1 << 20)
	if err != nil {
		panic(err)
	}
	heap, err := gc.New(arena, gc.Manual())
	if err != nil {
		panic(err)
	}
	pages, err := gc.For[page](heap)
	if err != nil {
		panic(err)
	}
	return heap, pages, func() {
		if err := errors.Join(heap.Close(), arena.Close()); err != nil {
			panic(err)
		}
	}
}

// Collect finds the objects that no root reaches. A heap with roots cannot be closed.
func ExampleHeap() {
	heap, pages, closeAll := openPages()
	defer closeAll()
	kept, err := pages.New()
	if err != nil {
		panic(err)
	}
	garbage, err := pages.New()
	if err != nil {
		panic(err)
	}
	garbage.Drop()

	if err := heap.Collect(context.Background()); err != nil {
		panic(err)
	}
	s := heap.Stats()
	fmt.Println(s.Objects, s.Freed, s.Roots)
	fmt.Println(errors.Is(heap.Close(), gc.ErrInUse))
	kept.Drop()
	// Output:
	// 1 1 1
	// true
}

// Each root is dropped once. A clone holds the object for itself.
func ExampleRoot() {
	heap, pages, closeAll := openPages()
	defer closeAll()
	root, err := pages.New()
	if err != nil {
		panic(err)
	}
	root.Value().number = 7
	clone := root.Clone() // for another goroutine, say
	fmt.Println(clone.Same(root))
	root.Drop()

	if err := heap.Collect(context.Background()); err != nil {
		panic(err)
	}
	fmt.Println(clone.Value().number)
	clone.Drop()
	// Output:
	// true
	// 7
}

// A Pointer is an atomic word: of several goroutines that replace the object, one succeeds.
func ExamplePointer() {
	heap, pages, closeAll := openPages()
	defer closeAll()
	first, err := pages.New()
	if err != nil {
		panic(err)
	}
	defer first.Drop()
	second, err := pages.New()
	if err != nil {
		panic(err)
	}
	defer second.Drop()
	next := &first.Value().next
	fmt.Println(next.IsZero())
	fmt.Println(next.CompareAndSwap(heap, gc.Root[page]{}, second))
	fmt.Println(next.CompareAndSwap(heap, gc.Root[page]{}, first))

	loaded := next.Load(heap)
	defer loaded.Drop()
	fmt.Println(next.Refers(second), loaded.Same(second))
	// Output:
	// true
	// true
	// false
	// true true
}

// New returns a Root, which holds the object until it is dropped.
func ExampleType() {
	_, pages, closeAll := openPages()
	defer closeAll()
	root, err := pages.New()
	if err != nil {
		fmt.Println(err) // the arena is full, and a collection found no garbage
		return
	}
	defer root.Drop()
	fmt.Println(root.Value().number, root.Value().next.IsZero())
	// Output:
	// 0 true
}
