package lock

import (
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// spare keeps one unused node, so that a lock on which the same goroutines wait again and again
// hardly ever allocates: a goroutine that gets the lock leaves a node, and one that comes takes
// it. Both are swaps of one word, which have no ABA: no goroutine looks into a node that is not
// its own.
type spare[N any] struct{ node atomics.Pointer[N] }

// get returns the node that was put here, unchanged, or a new one.
func (s *spare[N]) get() *N {
	if s.node.Load() != nil {
		if n := s.node.Swap(nil); n != nil {
			return n
		}
	}
	return new(N)
}

// put keeps n, which no other goroutine will look into, and forgets the node that was here.
func (s *spare[N]) put(n *N) { s.node.Store(n) }
