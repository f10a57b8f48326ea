package mailbox

import "unsafe"

// A node can be enqueued with a mark. Whoever enqueues with [Queue.Offer] notices if the newest node is marked, and can do first what
// the mark asks for; the package freerun uses it for messages that go into several mailboxes at one instant. The mark is
// the lowest bit of the mailbox's only shared word, so noticing costs no access to memory: the node itself lies on a line that
// another processor may just be writing.

// Newest is what a mailbox says of its newest node: which it is, and whether it is marked. It is only ever used as a pointer: the
// address of the node, or of the byte after its first for a marked one, which keeps the node from being collected just as well.
// nil says that the mailbox is idle.
type Newest struct{ _ byte }

const markBit = 1

func unmarked(n *Node) *Newest { return (*Newest)(unsafe.Pointer(n)) }

func marked(n *Node) *Newest { return (*Newest)(unsafe.Add(unsafe.Pointer(n), markBit)) }

func (h *Newest) isMarked() bool { return uintptr(unsafe.Pointer(h))&markBit != 0 }

func (h *Newest) node() *Node {
	p := unsafe.Pointer(h)
	return (*Node)(unsafe.Add(p, -int(uintptr(p)&markBit)))
}

// Marked returns the node if it is marked, otherwise nil. Any goroutine. What the owner writes to a node that it has dequeued is not to be
// read through it.
func (h *Newest) Marked() *Node {
	if !h.isMarked() {
		return nil
	}
	return h.node()
}

// Newest returns what the mailbox says at this moment of its newest node, nil if it is idle. Any goroutine; it does not wait.
func (m *Queue) Newest() *Newest { return m.head.Load() }

// Offer is Enqueue if the newest node is not marked. Otherwise it does nothing, and returns marked. Any goroutine; lock-free.
func (m *Queue) Offer(n *Node) (wasIdle, marked bool) {
	for {
		h := m.head.Load()
		if h.isMarked() {
			return false, true
		}
		n.next.Set((*Node)(unsafe.Pointer(h)))
		if m.head.CompareAndSwap(h, unmarked(n)) { // L1
			return h == nil, false
		}
	}
}

// EnqueueOn adds n, with a mark or without, if the mailbox still says h of its newest node, and reports whether it did. If h was nil, the
// caller is the mailbox's owner then, as with Enqueue. A marked node must not be enqueued again as long as somebody may call EnqueueOn with
// what Newest said of it. Any goroutine; wait-free.
func (m *Queue) EnqueueOn(h *Newest, n *Node, mark bool) bool {
	n.next.Set(h.node())
	if mark {
		return m.head.CompareAndSwap(h, marked(n)) // L1
	}
	return m.head.CompareAndSwap(h, unmarked(n)) // L1
}

// HandedOut takes the place of the first Dequeue for a caller whose EnqueueOn(nil, n, true) made it the owner: n is the oldest node, and is
// handed out.
func (m *Queue) HandedOut(n *Node) { m.seen.Set(marked(n)) }
