//go:build explore

package hazard

import (
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

type node struct{ value atomics.Plain[int] }

// replace has writers replace the node at a root and use the old one again, and readers rely on the
// node that they find there. A reader that relies on a node which begins a new life shows as a data
// race.
func replace(readers, writers int, read func(*Record[node], *atomics.Pointer[node]) *node, search bool) func(*explore.Run) {
	return replaceBy((*Domain[node]).Acquire, readers, writers, read, search)
}

// screened is Acquire by a screen, as for many nodes at once.
func screened(d *Domain[node], own *Record[node], n *node) *node {
	if n == nil {
		return d.Acquire(own, n)
	}
	var s Screen[node]
	if s.Look(d, own); s.Passes(n) {
		return n
	}
	return d.Acquire(own, n)
}

// replaceBy is replace with a choice of search.
func replaceBy(acquire func(*Domain[node], *Record[node], *node) *node, readers, writers int, read func(*Record[node], *atomics.Pointer[node]) *node, search bool) func(*explore.Run) {
	return func(r *explore.Run) {
		var d Domain[node]
		d.Reserve(1)
		var root atomics.Pointer[node]
		var spares [3]*node
		root.Store(new(node))
		made := 0
		for i := range writers {
			r.Go("writer", func() {
				for v := range 2 {
					own := d.Enter()
					n := spares[i]
					if search {
						n = acquire(&d, own, n)
					}
					if n == nil {
						n = new(node)
						made++
					}
					n.value.Set(v)
					spares[i] = root.Swap(n)
					d.Leave(own)
				}
			})
		}
		for range readers {
			r.Go("reader", func() {
				for range 2 {
					own := d.Enter()
					if h := read(own, &root); h != nil {
						h.value.Get()
					}
					d.Leave(own)
				}
			})
		}
		r.After(func() {
			places := map[*node]bool{root.Load(): true}
			count := 1
			for _, n := range spares[:writers] {
				places[n] = true
				count++
			}
			for other := range d.All() {
				for w := range Words {
					if n := other.Pooled(w); n != nil {
						places[n] = true
						count++
					}
				}
			}
			if len(places) != count {
				r.Failf("a node is in two places")
			}
			if search && made > writers+Words*d.Records() {
				r.Failf("%d nodes were made", made)
			}
		})
	}
}

// rely applies R1 correctly.
func rely(own *Record[node], root *atomics.Pointer[node]) *node {
	h := root.Load()
	if own.Names(h) < 0 {
		own.SetNow(0, h)
		if root.Load() != h {
			return nil
		}
	}
	return h
}

func TestExploreReuse(t *testing.T) {
	t.Run("two", func(t *testing.T) { explore.Exhaustive(t, explore.Unbounded, replace(1, 1, rely, true)) })
	t.Run("screened", func(t *testing.T) { explore.Exhaustive(t, explore.Unbounded, replaceBy(screened, 1, 1, rely, true)) })
	t.Run("screened, two readers", func(t *testing.T) { explore.Exhaustive(t, 2, replaceBy(screened, 2, 1, rely, true)) })
	t.Run("two readers", func(t *testing.T) { explore.Exhaustive(t, 2, replace(2, 1, rely, true)) })
	t.Run("two writers", func(t *testing.T) { explore.Exhaustive(t, 2, replace(1, 2, rely, true)) })
	t.Run("frozen", func(t *testing.T) { explore.Freeze(t, replace(1, 2, rely, true)) })
}

// TestExploreReuseFlaws breaks the rules one at a time; the explorer must find each breach.
func TestExploreReuseFlaws(t *testing.T) {
	t.Run("not searched", func(t *testing.T) { explore.MustFail(t, 2, replace(1, 1, rely, false)) })
	t.Run("not found again", func(t *testing.T) {
		explore.MustFail(t, 2, replace(1, 1, func(own *Record[node], root *atomics.Pointer[node]) *node {
			h := root.Load()
			own.SetNow(0, h)
			return h
		}, true))
	})
	t.Run("found again before the word is visible", func(t *testing.T) {
		explore.MustFail(t, explore.Unbounded, replace(1, 1, func(own *Record[node], root *atomics.Pointer[node]) *node {
			h := root.Load()
			own.Set(0, h)
			if root.Load() != h {
				return nil
			}
			return h
		}, true))
	})
}
