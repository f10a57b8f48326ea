//go:build !explore

package gc

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/replay"
)

// cell is an object of the stress test's graph: two references, and a pattern that tells whether it
// is still the same object.
type cell struct {
	next  Pointer[cell]
	id    uint64
	other [2]Pointer[cell]
	not   uint64
}

func (c *cell) whole() bool { return c.id != 0 && c.id == ^c.not }

// TestStress has mutators change a shared graph at random while collectors collect all the time.
// Every object that a mutator gets must be whole. When all roots are dropped, as many objects must
// have been freed as were made.
func TestStress(t *testing.T) {
	seed := replay.Seed(t)
	const mutators, collectors, shared = 3, 2, 8
	const rounds = 30_000
	h := openHeap(t, 32<<20, Manual())
	cells := must(For[cell](h))
	var made atomic.Uint64
	fresh := func() Root[cell] {
		c, err := cells.New()
		if err != nil {
			t.Error(err)
			return Root[cell]{}
		}
		if v := c.Value(); v.id != 0 || v.not != 0 || !v.next.IsZero() || !v.other[0].IsZero() || !v.other[1].IsZero() {
			t.Error("a new object is not zero")
		}
		c.Value().id = made.Add(1)
		c.Value().not = ^c.Value().id
		return c
	}
	var hubs [shared]Root[cell]
	for i := range hubs {
		hubs[i] = fresh()
	}
	done := make(chan struct{})
	var all, others sync.WaitGroup
	for m := range mutators {
		all.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(m)))
			field := func(c Root[cell]) *Pointer[cell] {
				if i := r.IntN(3); i > 0 {
					return &c.Value().other[i-1]
				}
				return &c.Value().next
			}
			for range rounds {
				at := hubs[r.IntN(shared)].Clone()
				for range r.IntN(6) { // walk
					next := field(at).Load(h)
					if next.IsZero() {
						break
					}
					at.Drop()
					at = next
					if !at.Value().whole() {
						t.Errorf("an object that is held is not whole: %d, %d", at.Value().id, at.Value().not)
						return
					}
				}
				switch r.IntN(8) {
				case 0, 5, 6, 7: // hang a new one there, in front of the one that was there
					c := fresh()
					f := field(at)
					was := f.Load(h)
					field(c).Store(h, was)
					f.Store(h, c)
					was.Drop()
					c.Drop()
				case 1: // cut off
					field(at).Store(h, Root[cell]{})
				case 2: // a reference to elsewhere, so that there are circles
					to := hubs[r.IntN(shared)]
					field(at).Store(h, to)
				case 3: // move the one that hangs there
					from, to := field(at), field(hubs[r.IntN(shared)])
					c := from.Load(h)
					from.Store(h, Root[cell]{})
					to.Store(h, c)
					c.Drop()
				case 4: // swap, if no other mutator was faster
					f := field(at)
					old, c := f.Load(h), fresh()
					f.CompareAndSwap(h, old, c)
					old.Drop()
					c.Drop()
				}
				at.Drop()
			}
		})
	}
	for range collectors {
		others.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					if err := h.Collect(context.Background()); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
	close(done)
	others.Wait()
	reachable := reach(h, hubs[:])
	for range 2 {
		if err := h.Collect(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if live := made.Load() - h.freed.Load(); live != uint64(reachable) {
		t.Errorf("%d objects were made and %d freed, and %d can be reached", made.Load(), h.freed.Load(), reachable)
	}
	for i := range hubs {
		hubs[i].Drop()
	}
	for range 2 {
		if err := h.Collect(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if made.Load() != h.freed.Load() {
		t.Errorf("%d objects were made, and %d freed", made.Load(), h.freed.Load())
	}
	t.Logf("%d objects, %d reachable at the end, %v", made.Load(), reachable, state(h.state.Load()))
}

// reach counts the objects that can be reached, while nothing else runs.
func reach(h *Heap, from []Root[cell]) int {
	seen := map[uint64]bool{}
	list := make([]Root[cell], 0, len(from))
	for _, r := range from {
		list = append(list, r.Clone())
	}
	for len(list) > 0 {
		at := list[len(list)-1]
		list = list[:len(list)-1]
		v := at.Value()
		if !seen[v.id] {
			seen[v.id] = true
			for _, f := range []*Pointer[cell]{&v.next, &v.other[0], &v.other[1]} {
				if r := f.Load(h); !r.IsZero() {
					list = append(list, r)
				}
			}
		}
		at.Drop()
	}
	return len(seen)
}
