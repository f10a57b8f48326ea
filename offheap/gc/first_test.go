//go:build !explore

package gc

import (
	"context"
	"testing"

	"github.com/freerun-go/freerun/offheap"
)

// open makes an arena and a heap, and closes both after the test.
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
		n.Value().left.Set(h, l)
		l.Drop()
		r := build(h, nodes, depth-1)
		n.Value().right.Set(h, r)
		r.Drop()
	}
	return n
}

func (t *tree) count(h *Heap) int {
	n := 1
	if l := t.left.Get(h); !l.IsNil() {
		n += l.Value().count(h)
		l.Drop()
	}
	if r := t.right.Get(h); !r.IsNil() {
		n += r.Value().count(h)
		r.Drop()
	}
	return n
}

func TestTrees(t *testing.T) {
	h := openHeap(t, 64<<20, Least(64<<10))
	nodes := Must(For[tree](h))
	long := build(h, nodes, 12)
	for i := range 50 {
		r := build(h, nodes, 10)
		if n := r.Value().count(h); n != 1<<11-1 {
			t.Fatalf("tree %d has %d nodes", i, n)
		}
		r.Drop()
	}
	if n := long.Value().count(h); n != 1<<13-1 {
		t.Fatalf("the long-lived tree has %d nodes", n)
	}
	t.Logf("%v, %d freed, %d chunks", state(h.state.Load()), h.freed.Load(), h.chunks.Load())
	long.Drop()
	for range 2 {
		if err := h.Collect(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%v, %d freed, %d chunks", state(h.state.Load()), h.freed.Load(), h.chunks.Load())
	if n := h.chunks.Load(); n > int64(len(*h.locals.Load())) { // one for what a processor has reserved
		t.Errorf("%d chunks are left", n)
	}
}

func BenchmarkTrees(b *testing.B) {
	h := openHeap(b, 1<<30)
	nodes := Must(For[tree](h))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	for range 2 {
		go func() { h.Tend(ctx); done <- struct{}{} }()
	}
	long := build(h, nodes, 16)
	n := 0
	for b.Loop() {
		for range 64 {
			r := build(h, nodes, 12)
			n += r.Value().count(h)
			r.Drop()
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/node")
	b.Logf("%v, %d freed, %d chunks", state(h.state.Load()), h.freed.Load(), h.chunks.Load())
	long.Drop()
	cancel()
	<-done
	<-done
}
