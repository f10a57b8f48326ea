package trees

import "github.com/freerun-go/freerun/programs"

// node is a tree or a part of one. Leaves have no children.
type node struct{ left, right *node }

// grown returns a tree on Go's heap.
func grown(depth int) *node {
	if depth == 0 {
		return new(node)
	}
	return &node{grown(depth - 1), grown(depth - 1)}
}

func (n *node) count() uint64 {
	if n.left == nil {
		return 1
	}
	return 1 + n.left.count() + n.right.count()
}

// heap is Go's heap, which all tasks share.
type heap struct{}

func (heap) passing(depth int) (uint64, error) { return grown(depth).count(), nil }

func (heap) lasting(depth int) (func() (uint64, error), error) {
	tree := grown(depth)
	return func() (uint64, error) { return tree.count(), nil }, nil
}

func runHeap(cfg programs.Config) (programs.Result, error) {
	p := newPlan(cfg.Values, cfg.Processors)
	forests := make([]forest, p.tasks)
	for i := range forests {
		forests[i] = heap{}
	}
	return p.run(forests)
}
