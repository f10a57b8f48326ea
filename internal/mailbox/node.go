package mailbox

import (
	"math"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Node is the link of [Queue], [Inbox] and [Chain]. Embed it as the first field of the element
// type, so that a pointer to the node is a pointer to the element. A node is in one list at a time
// and belongs to that list until the list hands it out. The zero value is in no list.
type Node struct {
	next atomics.Plain[*Node]
}

// Next returns the node behind n. Only for the goroutine that holds the list with n.
func (n *Node) Next() *Node { return n.next.Get() }

// Link puts next behind n. Only for the goroutine that holds n, in a list that it builds itself.
func (n *Node) Link(next *Node) { n.next.Set(next) }

// reverse turns a list that leads from newest down to the oldest node into one that leads from the
// oldest up to newest, and returns the oldest.
func reverse(newest *Node) (oldest *Node) {
	oldest, _ = reverseSome(newest, nil, nil, math.MaxInt)
	return oldest
}

// reverseSome moves no more than most nodes of a list, from newest down to stop, to the front of
// the list that begins at oldest. It returns the first node of that list, and the rest that it has
// not moved.
func reverseSome(newest, stop, oldest *Node, most int) (first, rest *Node) {
	n := newest
	for ; n != stop && most > 0; most-- {
		older := n.next.Get()
		n.next.Set(oldest)
		oldest, n = n, older
	}
	return oldest, n
}

// Chain is a first-in-first-out list of nodes for one goroutine at a time. The zero value is empty.
// A chain must not be copied while it is in use. No method waits or allocates.
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

// PushNewestFirst appends the nodes of a list that leads from its newest to its oldest node. The
// oldest comes out first.
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
