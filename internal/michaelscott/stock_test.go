package michaelscott

import (
	"errors"
	"fmt"
)

// stock are the nodes that were found, and where.
type stock[T any] struct {
	nodes map[*node[T]]string
	err   error
}

// add takes a node into the stock, and complains if it is there already. It reports whether there
// is one.
func (s *stock[T]) add(where string, n *node[T]) bool {
	if n == nil {
		return false
	}
	if s.nodes == nil {
		s.nodes = map[*node[T]]string{}
	}
	if other, twice := s.nodes[n]; twice {
		s.err = errors.Join(s.err, fmt.Errorf("a node is in two places: %s and %s", other, where))
	}
	s.nodes[n] = where
	return true
}

// addRecords counts the nodes in pools and chains.
func (s *stock[T]) addRecords(nodes *domain[T]) {
	for r := range nodes.All() {
		s.add("a pool", r.Pooled(0))
		s.add("a pool", r.Pooled(1))
		n := r.Chain
		for i := range r.Chained {
			s.add(fmt.Sprint("number ", i, " of a chain"), n)
			n = n.next.Load()
		}
	}
}

// check returns an error if anything was wrong, if there are more nodes than there may be, or if
// the tail is not where it should be.
func (s *stock[T]) check(most int, tailRight bool) error {
	if len(s.nodes) > most {
		s.err = errors.Join(s.err, fmt.Errorf("there are %d nodes, at most %d may be", len(s.nodes), most))
	}
	if !tailRight {
		s.err = errors.Join(s.err, errors.New("the tail of the empty queue is not the sentinel"))
	}
	return s.err
}

// stockOf returns the nodes of a queue without calls under way, and how many there may be if it
// held at most values values at once.
func stockOf[T any](q *UnboundedMPMC[T], values int) (s *stock[T], most int) {
	s = new(stock[T])
	head := q.list.head.Load()
	for n := q.retired.Load(); n != head; n = n.next.Load() {
		if n == nil {
			s.err = errors.New("the retired nodes do not lead to the sentinel")
			break
		}
		s.add("retired", n)
	}
	for n := head; n != nil; n = n.next.Load() {
		s.add("the list", n)
	}
	s.addRecords(&q.nodes)
	return s, 1 + values + batch + q.nodes.Records()*(batch+2)
}
