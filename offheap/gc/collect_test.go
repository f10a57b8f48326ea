//go:build !explore

package gc

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/freerun-go/freerun/offheap"
)

// collect goes through a number of cycles.
func collect(t testing.TB, h *Heap, times int) {
	t.Helper()
	for range times {
		if err := h.Collect(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}

// fresh returns a root of a new object.
func fresh[T any](t testing.TB, k Type[T]) Root[T] {
	t.Helper()
	r, err := k.New()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestCircle collects objects that only refer to each other, which a count of references would not.
func TestCircle(t *testing.T) {
	h := openHeap(t, 1<<20, Manual())
	nodes := must(For[tree](h))
	a, b := fresh(t, nodes), fresh(t, nodes)
	a.Value().left.Store(h, b)
	b.Value().right.Store(h, a)
	b.Value().left.Store(h, b)
	b.Drop()
	collect(t, h, 1)
	if n := h.Stats().Objects; n != 2 {
		t.Errorf("%d objects, want 2", n)
	}
	a.Drop()
	collect(t, h, 1)
	if s := h.Stats(); s.Objects != 0 || s.Freed != 2 || s.Roots != 0 {
		t.Errorf("%+v; want no object, two freed and no root", s)
	}
}

// TestClone has three roots of one object: it stays until the last of them is dropped.
func TestClone(t *testing.T) {
	h := openHeap(t, 1<<20, Manual())
	nodes := must(For[tree](h))
	a := fresh(t, nodes)
	b, c := a.Clone(), a.Clone()
	if !a.Same(b) || !c.Same(b) {
		t.Error("a clone holds something else")
	}
	for _, r := range []Root[tree]{a, b, c} {
		collect(t, h, 1)
		if n := h.Stats().Objects; n != 1 {
			t.Errorf("%d objects, want 1", n)
		}
		r.Drop()
	}
	collect(t, h, 1)
	if n := h.Stats().Objects; n != 0 {
		t.Errorf("%d objects, want none", n)
	}
}

// TestManyRoots holds more roots than a page has slots, some for long.
func TestManyRoots(t *testing.T) {
	h := openHeap(t, 8<<20, Manual())
	nodes := must(For[tree](h))
	var held []Root[tree]
	for i := range 5000 {
		held = append(held, fresh(t, nodes))
		if i%3 == 0 {
			held[i/2].Drop()
			held[i/2] = fresh(t, nodes)
		}
	}
	collect(t, h, 1)
	if s := h.Stats(); s.Roots != 5000 || s.Objects != 5000 {
		t.Errorf("%d roots and %d objects, want 5000", s.Roots, s.Objects)
	}
	for _, r := range held {
		r.Drop()
	}
	collect(t, h, 1)
	if s := h.Stats(); s.Roots != 0 || s.Objects != 0 {
		t.Errorf("%d roots and %d objects at the end", s.Roots, s.Objects)
	}
}

// TestSizes has objects of many sizes, some larger than a usual chunk, and holds that none overlaps
// another.
func TestSizes(t *testing.T) {
	h := openHeap(t, 64<<20, Manual())
	sized[[1]uint64](t, h)
	sized[[3]uint64](t, h)
	sized[[100]uint64](t, h)
	sized[[1000]uint64](t, h)
	sized[[5000]uint64](t, h)
	sized[[40000]uint64](t, h)
}

func sized[T [1]uint64 | [3]uint64 | [100]uint64 | [1000]uint64 | [5000]uint64 | [40000]uint64](t *testing.T, h *Heap) {
	k := must(For[T](h))
	var held []Root[T]
	for i := range 40 {
		r := fresh(t, k)
		for j := range len(*r.Value()) {
			if (*r.Value())[j] != 0 {
				t.Fatalf("word %d of a new object is %d", j, (*r.Value())[j])
			}
			(*r.Value())[j] = uint64(i + 1)
		}
		held = append(held, r)
	}
	collect(t, h, 1)
	for i, r := range held {
		for j := range len(*r.Value()) {
			if (*r.Value())[j] != uint64(i+1) {
				t.Fatalf("word %d of object %d is %d", j, i, (*r.Value())[j])
			}
		}
		r.Drop()
	}
	collect(t, h, 2)
	if s := h.Stats(); s.Objects != 0 || s.Chunks > len(*h.locals.Load())*len(*h.kinds.Load()) {
		t.Errorf("%d objects and %d chunks are left", s.Objects, s.Chunks)
	}
}

// TestNoMemory fills an arena, gets the error, and goes on once there is garbage.
func TestNoMemory(t *testing.T) {
	h := openHeap(t, 1<<20, Manual())
	nodes, cells := must(For[tree](h)), must(For[cell](h))
	first := fresh(t, nodes)
	last, n := first.Clone(), 1
	for ; ; n++ {
		next, err := nodes.New()
		if err != nil {
			if !errors.Is(err, offheap.ErrNoMemory) {
				t.Fatal(err)
			}
			break
		}
		last.Value().left.Store(h, next)
		last.Drop()
		last = next
	}
	if n < 1<<20/16*9/10 {
		t.Errorf("only %d objects in an arena of 1 MiB", n)
	}
	if _, err := cells.New(); !errors.Is(err, offheap.ErrNoMemory) {
		t.Errorf("another type in a full arena: %v", err)
	}
	first.Drop()
	last.Drop()
	var held []Root[cell] // of another type, so chunks have to go back to the arena first
	for range 10_000 {
		held = append(held, fresh(t, cells))
	}
	for _, r := range held {
		r.Drop()
	}
}

// TestStep collects in small pieces, and no more than is due.
func TestStep(t *testing.T) {
	h := openHeap(t, 8<<20, Least(256<<10))
	if h.Step(1000) {
		t.Error("there is something to do in an empty heap")
	}
	nodes := must(For[tree](h))
	live := build(h, nodes, 10)
	h.tending.Add(1) // so that New leaves it to us
	for !h.due() {
		fresh(t, nodes).Drop()
	}
	h.tending.Add(-1)
	steps := 1
	for ; h.Step(100); steps++ {
		if steps > 10_000 {
			t.Fatal("a cycle does not end")
		}
		live.Value().left.Store(h, Root[tree]{}) // the graph changes meanwhile
	}
	if s := h.Stats(); steps < 10 || s.Cycles != 1 || s.Freed == 0 {
		t.Errorf("%d steps, %+v", steps, s)
	}
	live.Drop()
}

// TestTend has goroutines collect whenever a cycle is due, until their context ends.
func TestTend(t *testing.T) {
	h := openHeap(t, 64<<20, Least(128<<10), Growth(0.5))
	nodes := must(For[tree](h))
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			if err := h.Tend(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("Tend ended with %v", err)
			}
		})
	}
	for h.Stats().Cycles < 5 {
		tree := build(h, nodes, 8)
		if n := tree.Value().count(h); n != 1<<9-1 {
			t.Fatalf("a tree has %d nodes", n)
		}
		tree.Drop()
		runtime.Gosched()
	}
	cancel()
	all.Wait()
}

// TestCollectCanceled ends the context of a Collect.
func TestCollectCanceled(t *testing.T) {
	h := openHeap(t, 1<<20)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := h.Collect(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Collect returned %v", err)
	}
	collect(t, h, 1)
}

// TestSharedType holds that all calls of For return the same Type.
func TestSharedType(t *testing.T) {
	h := openHeap(t, 1<<20)
	types := make([]Type[tree], 8)
	var all sync.WaitGroup
	for i := range types {
		all.Go(func() { types[i] = must(For[tree](h)) })
	}
	all.Wait()
	for _, k := range types {
		if k != types[0] {
			t.Error("two Types of one type")
		}
	}
}
