//go:build explore

package ending

import (
	"slices"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// set takes the place of the real set in explorations: the explorer does not see the accesses of a
// sync.Map, whose order is random besides.
type set struct{ nodes atomics.Pointer[[]*Node] }

func (s *set) change(change func([]*Node) []*Node) {
	for {
		old := s.nodes.Load()
		var nodes []*Node
		if old != nil {
			nodes = slices.Clone(*old)
		}
		nodes = change(nodes)
		if s.nodes.CompareAndSwap(old, &nodes) {
			return
		}
	}
}

func (s *set) add(n *Node) {
	s.change(func(nodes []*Node) []*Node { return append(nodes, n) })
}

func (s *set) remove(n *Node) {
	s.change(func(nodes []*Node) []*Node {
		return slices.DeleteFunc(nodes, func(m *Node) bool { return m == n })
	})
}

func (s *set) each(f func(n *Node)) {
	if nodes := s.nodes.Load(); nodes != nil {
		for _, n := range *nodes {
			f(n)
		}
	}
}
