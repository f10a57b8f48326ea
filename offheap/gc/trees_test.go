//go:build !explore

package gc

import (
	"context"
	"sync"
	"testing"

	"github.com/freerun-go/freerun/offheap"
)

// openHeap makes an arena and a heap, and closes both after the test.
func openHeap(t testing.TB, size int64, options ...Option) *Heap {
	t.Helper()
	a, err := offheap.New(size)
	if err != nil {
		t.Fatal(err)
	}
	h, err := New(a, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Errorf("Close of the heap: %v", err)
		}
		if err := a.Close(); err != nil {
			t.Errorf("Close of the arena: %v", err)
		}
	})
	return h
}

// tree is a node of a binary tree.
type tree struct {
	left, right Pointer[tree]
}

func build(h *Heap, nodes Type[tree], depth int) Root[tree] {
	n, err := nodes.New()
	if err != nil {
		panic(err)
	}
	if depth > 0 {
		l := build(h, nodes, depth-1)
		n.Value().left.Store(h, l)
		l.Drop()
		r := build(h, nodes, depth-1)
		n.Value().right.Store(h, r)
		r.Drop()
	}
	return n
}

func (t *tree) count(h *Heap) int {
	n := 1
	if l := t.left.Load(h); !l.IsZero() {
		n += l.Value().count(h)
		l.Drop()
	}
	if r := t.right.Load(h); !r.IsZero() {
		n += r.Value().count(h)
		r.Drop()
	}
	return n
}

// sum counts the nodes of a tree that a root holds, and takes no other root.
func (t *tree) sum(h *Heap) int {
	if t == nil {
		return 0
	}
	return 1 + t.left.Value(h).sum(h) + t.right.Value(h).sum(h)
}

// TestTrees makes trees that are garbage at once beside a tree that lives. Only allocating
// goroutines collect.
func TestTrees(t *testing.T) {
	h := openHeap(t, 64<<20, Least(64<<10))
	nodes := must(For[tree](h))
	long := build(h, nodes, 10)
	for i := range 40 {
		r := build(h, nodes, 8)
		if n := r.Value().count(h); n != 1<<9-1 {
			t.Fatalf("tree %d has %d nodes", i, n)
		}
		if n := r.Value().sum(h); n != 1<<9-1 {
			t.Fatalf("tree %d has %d nodes for a reader without roots", i, n)
		}
		r.Drop()
	}
	if n := long.Value().count(h); n != 1<<11-1 {
		t.Fatalf("the long-lived tree has %d nodes", n)
	}
	if s := h.Stats(); s.Cycles < 2 || s.Freed == 0 {
		t.Errorf("nothing was collected: %+v", s)
	}
	long.Drop()
	collect(t, h, 2)
	// A chunk may stay for the objects that each processor has reserved.
	if s := h.Stats(); s.Objects != 0 || s.Chunks > len(*h.locals.Load()) {
		t.Errorf("%d objects and %d chunks are left", s.Objects, s.Chunks)
	}
}

// node is a tree on Go's heap.
type node struct{ left, right *node }

func grow(depth int) *node {
	if depth == 0 {
		return new(node)
	}
	return &node{grow(depth - 1), grow(depth - 1)}
}

func (n *node) count() int {
	if n.left == nil {
		return 1
	}
	return 1 + n.left.count() + n.right.count()
}

// BenchmarkTrees makes trees of 8191 nodes and counts them, beside a tree of 131,071 nodes that
// lives. The nodes are counted under the root of the tree, or each under a root of its own.
func BenchmarkTrees(b *testing.B) {
	b.Run("offheap", func(b *testing.B) { benchmarkTrees(b, (*tree).sum) })
	b.Run("offheap, roots", func(b *testing.B) { benchmarkTrees(b, (*tree).count) })
	b.Run("go", benchmarkGoTrees)
}

const lasting, passing = 16, 12 // depths

func benchmarkTrees(b *testing.B, count func(*tree, *Heap) int) {
	h := openHeap(b, 1<<30)
	nodes := must(For[tree](h))
	ctx, cancel := context.WithCancel(context.Background())
	var collectors sync.WaitGroup
	for range 2 {
		collectors.Go(func() { _ = h.Tend(ctx) }) // ends with ctx
	}
	long, n := build(h, nodes, lasting), 0
	for b.Loop() {
		r := build(h, nodes, passing)
		n += count(r.Value(), h)
		r.Drop()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/node")
	long.Drop()
	cancel()
	collectors.Wait()
}

func benchmarkGoTrees(b *testing.B) {
	long, n := grow(lasting), 0
	for b.Loop() {
		n += grow(passing).count()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/node")
	if long.count() != 1<<(lasting+1)-1 {
		b.Error("the tree that lives has lost nodes")
	}
}

// BenchmarkOperations has one goroutine do one thing, while nothing is collected.
func BenchmarkOperations(b *testing.B) {
	h := openHeap(b, 1<<30, Manual())
	nodes := must(For[tree](h))
	a, c := fresh(b, nodes), fresh(b, nodes)
	a.Value().left.Store(h, c)
	b.Run("get and drop", func(b *testing.B) {
		for b.Loop() {
			r := a.Value().left.Load(h)
			r.Drop()
		}
	})
	b.Run("value", func(b *testing.B) {
		for b.Loop() {
			if a.Value().left.Value(h) == nil {
				b.Fatal("lost")
			}
		}
	})
	b.Run("set", func(b *testing.B) {
		for b.Loop() {
			a.Value().right.Store(h, c)
		}
	})
	b.Run("clone and drop", func(b *testing.B) {
		for b.Loop() {
			r := a.Clone()
			r.Drop()
		}
	})
	b.Run("new and drop", func(b *testing.B) { // with the collection of the garbage that it makes
		h := openHeap(b, 64<<20)
		nodes := must(For[tree](h))
		b.ReportAllocs()
		for b.Loop() {
			r, err := nodes.New()
			if err != nil {
				b.Fatal(err)
			}
			r.Drop()
		}
	})
	a.Drop()
	c.Drop()
}
