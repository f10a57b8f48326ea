package mailbox

import "unsafe"

// A node can be enqueued with a mark. A producer that calls [Queue.EnqueueUnmarked] learns that the
// newest node is marked, and can first do the work that the mark asks for. Package freerun marks
// the parts of a message that enters several mailboxes at one instant
// (docs/algorithms/several-units.md).
//
// The mark is the lowest bit of the queue's only shared word, so looking at it costs no access to
// the node, whose cache line another processor may be writing.

// Newest identifies the newest node of a queue and says whether it is marked. It is used as a
// pointer only: the address of the node, or for a marked node the address of its second byte, which
// keeps the node alive just as well. nil says that the queue is idle.
type Newest struct{ _ byte }

const markBit = 1

func unmarked(n *Node) *Newest { return (*Newest)(unsafe.Pointer(n)) }

func marked(n *Node) *Newest { return (*Newest)(unsafe.Add(unsafe.Pointer(n), markBit)) }

func (h *Newest) isMarked() bool { return uintptr(unsafe.Pointer(h))&markBit != 0 }

func (h *Newest) node() *Node {
	p := unsafe.Pointer(h)
	return (*Node)(unsafe.Add(p, -int(uintptr(p)&markBit)))
}

// Marked returns the node if it is marked, otherwise nil. Any goroutine. The caller must not read
// the fields that an owner writes after it has dequeued the node.
func (h *Newest) Marked() *Node {
	if !h.isMarked() {
		return nil
	}
	return h.node()
}

// Newest returns the queue's newest node, with its mark, at this moment; nil if the queue is idle.
// Any goroutine; wait-free.
func (m *Queue) Newest() *Newest { return m.head.Load() }

// EnqueueUnmarked is Enqueue if the newest node is not marked. Otherwise it does nothing and
// returns marked. Any goroutine; lock-free.
func (m *Queue) EnqueueUnmarked(n *Node) (wasIdle, marked bool) {
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

// EnqueueOn adds n, with or without a mark, if h is still the queue's Newest, and reports whether
// it did. If h is nil, the caller is the owner then, as with Enqueue. A marked node must not be
// enqueued again while any goroutine may call EnqueueOn with the Newest of that node. Any
// goroutine; wait-free.
func (m *Queue) EnqueueOn(h *Newest, n *Node, mark bool) bool {
	n.next.Set(h.node())
	if mark {
		return m.head.CompareAndSwap(h, marked(n)) // L1
	}
	return m.head.CompareAndSwap(h, unmarked(n)) // L1
}

// HandedOut takes the place of the first Dequeue for a caller that has become the owner by
// EnqueueOn(nil, n, true): n is the oldest node, and counts as handed out.
func (m *Queue) HandedOut(n *Node) { m.seen.Set(marked(n)) }
