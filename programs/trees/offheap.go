package trees

import (
	"context"
	"errors"
	"sync"

	"github.com/freerun-go/freerun/offheap"
	"github.com/freerun-go/freerun/offheap/gc"
	"github.com/freerun-go/freerun/programs"
)

// object is a tree, or a part of one, outside of Go's heap. Leaves have no children.
type object struct{ left, right gc.Pointer[object] }

// woods is a heap of such trees, which all tasks share.
type woods struct {
	heap    *gc.Heap
	objects gc.Type[object]
}

// grown returns a tree. Complete inner nodes are held by the nodes above them, and by nothing else.
func (w woods) grown(depth int) (gc.Root[object], error) {
	tree, err := w.objects.New()
	if err != nil || depth == 0 {
		return tree, err
	}
	top := tree.Value()
	if err = w.graft(&top.left, depth-1); err == nil {
		err = w.graft(&top.right, depth-1)
	}
	if err != nil {
		tree.Drop()
		return gc.Root[object]{}, err
	}
	return tree, nil
}

// graft grows a tree below another one.
func (w woods) graft(at *gc.Pointer[object], depth int) error {
	tree, err := w.grown(depth)
	if err != nil {
		return err
	}
	at.Store(w.heap, tree)
	tree.Drop()
	return nil
}

// count counts the nodes of a tree, nil for none. The caller holds the root of the tree that this
// one is a part of, so the nodes need no roots of their own.
func (w woods) count(tree *object) uint64 {
	if tree == nil {
		return 0
	}
	return 1 + w.count(tree.left.Value(w.heap)) + w.count(tree.right.Value(w.heap))
}

func (w woods) passing(depth int) (uint64, error) {
	tree, err := w.grown(depth)
	if err != nil {
		return 0, err
	}
	defer tree.Drop()
	return w.count(tree.Value()), nil
}

func (w woods) lasting(depth int) (func() (uint64, error), error) {
	tree, err := w.grown(depth)
	return func() (uint64, error) {
		defer tree.Drop()
		return w.count(tree.Value()), nil
	}, err
}

// perNode is how many bytes of the arena there are for each node of the first tree, which is the
// largest. It is eight times what a node takes: for the long-lived tree, for as much garbage as
// there are objects, and for the collector's data. Untouched memory costs nothing.
const perNode = 128

// base is the arena's size beside that, for the short-lived trees of many tasks.
const base = 64 << 20

func runOffheap(cfg programs.Config) (result programs.Result, err error) {
	p := newPlan(cfg.Values, cfg.Processors)
	arena, err := offheap.New(int64(nodes(p.stretch()))*perNode+base, offheap.SmallestBlock(4096))
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, arena.Close()) }()
	heap, err := gc.New(arena)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, heap.Close()) }() // fails if a root is left
	objects, err := gc.For[object](heap)
	if err != nil {
		return result, err
	}
	forests := make([]forest, p.tasks)
	for i := range forests {
		forests[i] = woods{heap, objects}
	}
	ctx, end := context.WithCancel(context.Background())
	var collectors sync.WaitGroup
	defer collectors.Wait()
	defer end()
	for range cfg.Values.Get(paramCollectors) {
		collectors.Go(func() { heap.Tend(ctx) }) // returns when ctx has ended
	}
	return p.run(forests)
}
