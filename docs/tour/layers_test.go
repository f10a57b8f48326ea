package tour_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/freerun-go/freerun/offheap"
	"github.com/freerun-go/freerun/queue"
)

//tour:begin offheap
type node struct { // no Go pointers
	Next  offheap.Ref[node]
	Count int
}

//tour:end

func Example_offheap() {
	//tour:begin arena
	arena, err := offheap.New(1 << 24) // address space; memory is taken as it is touched
	if err != nil {
		panic(err)
	}
	block, err := arena.Alloc(1000) // offheap.ErrNoMemory if there is none
	if err != nil {
		panic(err)
	}
	fmt.Println(len(arena.Bytes(block)) >= 1000)
	arena.Free(block)

	nodes, err := offheap.ViewOf[node](arena) // typed blocks
	if err != nil {
		panic(err)
	}
	r, err := nodes.New()
	if err != nil {
		panic(err)
	}
	nodes.At(r).Count++
	fmt.Println(nodes.At(r).Count)
	nodes.Free(r)
	fmt.Println(arena.Close()) // an error while blocks are live
	// Output:
	// true
	// 1
	// <nil>
	//tour:end
}

func Example_queue() {
	ctx := context.Background()
	//tour:begin queue
	q := queue.NewBlocking(queue.NewMPMC[string](1024))
	if err := q.Enqueue(ctx, "job"); err != nil { // waits while it is full
		panic(err)
	}
	fmt.Println(q.Dequeue(ctx)) // waits while it is empty
	q.Close()
	_, err := q.Dequeue(ctx)
	fmt.Println(errors.Is(err, queue.ErrClosed)) // after Close and the last item
	// Output:
	// job <nil>
	// true
	//tour:end
}
