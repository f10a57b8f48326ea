//go:build !explore

package ending

import "sync"

// set is a set of nodes. The zero value is empty. Any goroutine may use it.
type set struct{ nodes sync.Map } // *Node → nil

func (s *set) add(n *Node) { s.nodes.Store(n, nil) }

func (s *set) remove(n *Node) { s.nodes.Delete(n) }

// each calls f for all nodes that are in the set throughout the call.
func (s *set) each(f func(n *Node)) {
	s.nodes.Range(func(n, _ any) bool {
		f(n.(*Node))
		return true
	})
}
