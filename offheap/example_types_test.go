package offheap_test

import (
	"errors"
	"fmt"

	"github.com/freerun-go/freerun/offheap"
)

// An arena allocates blocks of powers of two. A block that grows may have to move: the Block that
// Resize returns replaces the block that it was given.
func ExampleArena() {
	arena, err := offheap.New(1 << 20)
	if err != nil {
		fmt.Println(err)
		return
	}
	block, err := arena.Alloc(100)
	if err != nil {
		fmt.Println(err)
		return
	}
	copy(arena.Bytes(block), "first")
	fmt.Println(arena.Size(block), string(arena.Bytes(block)[:5]))

	block, err = arena.Resize(block, 1000)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(arena.Size(block), string(arena.Bytes(block)[:5]))

	_, err = arena.Alloc(2 << 20)
	fmt.Println(errors.Is(err, offheap.ErrNoMemory))
	arena.Free(block)
	fmt.Println(arena.Close())
	// Output:
	// 128 first
	// 1024 first
	// true
	// <nil>
}

// sample is a value without pointers.
type sample struct {
	at    int64
	value float64
}

// A view stores values of one type, one by one or several in a row.
func ExampleView() {
	arena, err := offheap.New(1<<20, offheap.TagNames("samples"))
	if err != nil {
		fmt.Println(err)
		return
	}
	samples, err := offheap.ViewOf[sample](arena)
	if err != nil {
		fmt.Println(err)
		return
	}
	row, err := samples.Tagged(1).NewSlice(60)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range samples.Slice(row) {
		samples.Slice(row)[i] = sample{at: int64(i), value: 0.5}
	}
	fmt.Println(samples.At(row).value, len(samples.Slice(row)) >= 60)
	for _, tag := range arena.Stats().Tags {
		fmt.Println(tag.Blocks, tag.Name, tag.Bytes)
	}
	samples.Free(row)
	fmt.Println(arena.Close())
	// Output:
	// 0.5 true
	// 1 samples 1024
	// <nil>
}

// entry is a value that refers to another.
type entry struct {
	key  int
	next offheap.Ref[entry]
}

// A Ref is a reference that a value in an arena may contain; the zero Ref ends a list.
func ExampleRef() {
	arena, err := offheap.New(1 << 20)
	if err != nil {
		fmt.Println(err)
		return
	}
	entries, err := offheap.ViewOf[entry](arena)
	if err != nil {
		fmt.Println(err)
		return
	}
	var list offheap.Ref[entry]
	for key := range 3 {
		e, err := entries.New()
		if err != nil {
			fmt.Println(err)
			return
		}
		*entries.At(e) = entry{key, list}
		list = e
	}
	for !list.IsZero() {
		e := *entries.At(list)
		fmt.Println(e.key)
		entries.Free(list)
		list = e.next
	}
	fmt.Println(arena.Close())
	// Output:
	// 2
	// 1
	// 0
	// <nil>
}
