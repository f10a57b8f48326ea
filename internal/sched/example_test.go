package sched_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sched"
)

// A node of a tree is also the task of visiting it.
type node struct {
	sched.Task // first: the scheduler's pointer to the task is a pointer to the node
	depth      int
	leaves     *atomic.Int64
}

var nodeKind = &sched.Kind{Run: visit}

func visit(p *sched.Processor, t *sched.Task) {
	n := (*node)(unsafe.Pointer(t))
	if n.depth == 0 {
		n.leaves.Add(1)
	}
	for range min(2, 2*n.depth) {
		p.Push(&(&node{sched.Task{Kind: t.Kind}, n.depth - 1, n.leaves}).Task)
	}
	p.Spend() // one operation more: let other goroutines run if it is time to
}

// Tasks embed [sched.Task]; their [sched.Kind] says what running them means. This example walks a
// binary tree. The task that visits a node pushes its children, and processors without work steal
// the oldest nodes, which have the largest subtrees.
func Example() {
	s := sched.New(sched.Config{Processors: 4})
	s.Start()
	defer s.Stop(nil)

	var leaves atomic.Int64
	s.Inject(&(&node{sched.Task{Kind: nodeKind}, 12, &leaves}).Task)
	if err := s.AwaitIdle(context.Background(), func() bool { return true }); err != nil {
		fmt.Println(err)
	}
	fmt.Println(leaves.Load())
	// Output: 4096
}
