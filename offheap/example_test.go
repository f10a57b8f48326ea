package offheap_test

import (
	"errors"
	"fmt"

	"github.com/freerun-go/freerun/offheap"
)

func Example() {
	a, err := offheap.New(1<<20, offheap.TagNames("names"))
	if err != nil {
		fmt.Println(err)
		return
	}
	const name = "Ada Lovelace"
	b, err := a.AllocTagged(len(name), 1)
	if err != nil {
		fmt.Println(err) // there is no block of that size
		return
	}
	copy(a.Bytes(b), name)
	fmt.Printf("%s, in a block of %d bytes\n", a.Bytes(b)[:len(name)], a.Size(b))
	fmt.Println(errors.Is(a.Close(), offheap.ErrInUse))
	a.Free(b)
	fmt.Println(a.Close())
	// Output:
	// Ada Lovelace, in a block of 32 bytes
	// true
	// <nil>
}

// A list of values that refer to each other. Go's collector looks at none of them.
func ExampleViewOf() {
	type Node struct {
		Value int
		Next  offheap.Block // or an offheap.Ref, where the type has a name outside of a function
	}
	a, err := offheap.New(1 << 20)
	if err != nil {
		fmt.Println(err)
		return
	}
	nodes, err := offheap.ViewOf[Node](a)
	if err != nil {
		fmt.Println(err) // it names the field that holds a pointer
		return
	}
	var first offheap.Ref[Node]
	for i := range 3 {
		r, err := nodes.New()
		if err != nil {
			fmt.Println(err)
			return
		}
		*nodes.At(r) = Node{Value: i, Next: offheap.Block(first)}
		first = r
	}
	for r := first; !r.IsZero(); {
		n := *nodes.At(r)
		fmt.Println(n.Value)
		nodes.Free(r)
		r = offheap.Ref[Node](n.Next)
	}
	fmt.Println(a.Close())
	// Output:
	// 2
	// 1
	// 0
	// <nil>
}

func ExampleArena_Usage() {
	a, err := offheap.New(1 << 20)
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 10 {
		if _, err := a.Alloc(768); err != nil {
			fmt.Println(err)
		}
	}
	u := a.Usage()
	fmt.Printf("%d blocks of %d bytes in all, %.0f%% of which was not asked for\n", u.Blocks, u.Live, 100*u.InternalFragmentation)
	for _, leak := range a.Leaks() {
		a.Free(leak.Block)
	}
	fmt.Println(a.Close())
	// Output:
	// 10 blocks of 10240 bytes in all, 25% of which was not asked for
	// <nil>
}
