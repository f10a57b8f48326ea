package mailbox

import (
	"math"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Node is the link of the intrusive lists of this package ([Queue], [Inbox], [Chain]): embed it as the first field of
// what is listed. A node is in at most one list at a time and belongs to that list until it is handed out again; the
// lists allocate nothing. The zero value is a node in no list.
type Node struct {
	next atomics.Plain[*Node]
}

// Next returns the node behind n. Only for whoever holds the list that n is in.
func (n *Node) Next() *Node { return n.next.Get() }

// Link puts next behind n. Only for whoever holds n, in a list of its own making.
func (n *Node) Link(next *Node) { n.next.Set(next) }

// reverse turns the list that leads from newest down into one that leads from the oldest node up to newest, and returns the oldest.
func reverse(newest *Node) (oldest *Node) {
	oldest, _ = reverseSome(newest, nil, nil, math.MaxInt)
	return oldest
}

// reverseSome reverses at most so many nodes of a list, from newest down to stop, onto oldest. It returns the oldest then, and what is left.
func reverseSome(newest, stop, oldest *Node, most int) (first, rest *Node) {
	n := newest
	for ; n != stop && most > 0; most-- {
		older := n.next.Get()
		n.next.Set(oldest)
		oldest, n = n, older
	}
	return oldest, n
}

// Chain is a first-in-first-out list of nodes for one goroutine at a time. The zero value is empty. Nothing here waits
// or allocates; a chain must not be copied while it is in use.
type Chain struct {
	head, tail *Node
}

// Empty reports whether the chain holds no node.
func (c *Chain) Empty() bool { return c.head == nil }

// PushBack appends n.
func (c *Chain) PushBack(n *Node) {
	n.next.Clear()
	if c.head == nil {
		c.head = n
	} else {
		c.tail.next.Set(n)
	}
	c.tail = n
}

// PushNewestFirst appends the nodes of a list that leads from its newest to its oldest node, oldest first.
func (c *Chain) PushNewestFirst(newest *Node) {
	if newest == nil {
		return
	}
	oldest := reverse(newest)
	if c.head == nil {
		c.head = oldest
	} else {
		c.tail.next.Set(oldest)
	}
	c.tail = newest
}

// PopFront removes and returns the first node, or nil if there is none.
func (c *Chain) PopFront() *Node {
	n := c.head
	if n != nil {
		if c.head = n.next.Take(); c.head == nil {
			c.tail = nil // an empty chain keeps no node
		}
	}
	return n
}
