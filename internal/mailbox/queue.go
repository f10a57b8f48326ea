package mailbox

import (
	"math"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Source:     L. Quirk, Ownership of a queue for practical lock-free scheduling, 2008, section 6.
//             queue.Owner is its literal form. Here the emptiness counter and the list are one
//             word.
// Sketch:     head ─→ n5 ─→ n4 ─→ n3 (seen) ─→ …     next leads to older nodes; the owner has taken
//                                                      over seen and everything below it
//             todo ─→ n2 ─→ n3                         taken over, oldest first, not yet handed out
//             Enqueue: n.next = head; CAS(head: h→n); the mailbox was idle if h was nil
//             Dequeue: hand out todo. When todo is empty and head is still seen,
//                      CAS(head: seen→nil) gives the mailbox up; otherwise reverse from head
//                      down to seen into todo, and seen = head
// Invariants: I1 head is nil exactly while there is no owner.
//             I2 While there is an owner, the walk from head reaches seen, or the end if seen is
//                nil.
//             I3 No goroutine writes to a node above seen. The next of seen and of the nodes below
//                is the owner's.
//             seen, todo and turn are the owner's.
//             NOT invariant: that seen is still in the mailbox. It may have been handed out and run
//                long ago.
// Progress:   Enqueue is lock-free: a failed CAS means that another call took effect. Dequeue is
//             wait-free but for the reversal, which touches each node once in all. Its one CAS is
//             not retried, because a failure means that new nodes have come. A producer that stalls
//             delays no other: before its CAS it is not in the list, after it the node is complete.
// Linearize:  Enqueue at L1; Dequeue of a node at L2 of the batch in which the node came; giving up
//             at L3
// Publish:    The producer writes to the node before L1, and the owner reads it after L2. seen and
//             todo are written before L3 and read by the next owner after its L1, or after the
//             hand-over by the producer of that L1.
// ABA/memory: A node that was handed out may be enqueued again once the next Dequeue has returned.
//             Until then it may be seen, with which L3 compares. If it becomes head again while a
//             producer sleeps before its CAS, it is head, and that CAS is right. An idle mailbox
//             retains nothing.
// Cost:       one CAS for each message, one more each time the owner gives up; no allocation, but
//             for a batch that takes more than one call
// Checked by: TestMailbox…, FuzzIntrusive, TestExploreMailbox…

// Queue is a first-in-first-out queue without bound, for many producers and one consumer at a time,
// the owner, which the queue itself appoints: the intrusive and faster form of queue.Owner, and the
// mailbox of a unit.
//
// The producer whose Enqueue finds the queue idle becomes the owner. It dequeues itself, or hands
// the ownership on. Only the owner may call Dequeue, and it stays the owner until Dequeue returns
// nil. So a queue that is not empty has an owner, and no queue has more than one.
//
// The zero value is idle and empty. A Queue must not be copied after first use. No method waits.
// The one allocation is for a batch that a call with a limit (see [Queue.DequeueWithin]) does not
// finish. A Dequeue by a goroutine that is not the owner corrupts the queue; the type cannot tell.
type Queue struct {
	head atomics.Pointer[Newest] // the newest node, perhaps marked

	seen atomics.Plain[*Newest]  // owner only
	todo atomics.Plain[*Node]    // owner only
	turn atomics.Plain[*turning] // owner only; not nil while a long batch is being reversed
}

// Enqueue adds n and reports whether the queue was idle: then the caller is the owner now, and must
// see to it that everything is dequeued. Any goroutine; lock-free.
func (m *Queue) Enqueue(n *Node) (wasIdle bool) {
	for {
		h := m.head.Load()
		n.next.Set(h.node())
		if m.head.CompareAndSwap(h, unmarked(n)) { // L1
			return h == nil
		}
	}
}

// Dequeue removes and returns the oldest node. It returns nil if there is none; the caller is no
// longer the owner then. Owner only. The first call after many nodes were enqueued touches all of
// them: see [Queue.DequeueWithin].
func (m *Queue) Dequeue() *Node {
	n, _ := m.DequeueWithin(math.MaxInt)
	return n
}

// DequeueWithin is Dequeue, except that it touches no more than most nodes. If more have to be
// brought into order first, it returns nil and later: the caller is still the owner and calls it
// again. It allocates once for a batch that takes more than one call. Owner only.
func (m *Queue) DequeueWithin(most int) (n *Node, later bool) {
	if n = m.DequeueInOrder(); n != nil {
		return n, false
	}
	return m.DequeueNew(most)
}

// DequeueInOrder is Dequeue for the nodes that an earlier call has brought into order. If it
// returns nil, the caller is still the owner and goes on with [Queue.DequeueNew]. Owner only.
func (m *Queue) DequeueInOrder() *Node {
	n := m.todo.Get()
	if n != nil {
		todo := n.next.Get()
		m.todo.Set(todo)
		if todo != nil {
			n.next.Clear() // so that the node does not keep the ones behind it from being collected
		}
	}
	return n
}

// Reusable reports whether n, which Dequeue has handed out, may be enqueued again, in any list,
// before the next Dequeue. Owner only.
func (m *Queue) Reusable(n *Node) bool { return n != m.seen.Get().node() }

// IsNewest reports whether n is the queue's newest node, and not marked: then there was nothing
// behind it at this moment. Owner only.
func (m *Queue) IsNewest(n *Node) bool { return m.head.Load() == unmarked(n) }

// IsEmpty reports whether there was nothing to dequeue at the moment at which it read the newest
// node. Unlike [Queue.GiveUp] it changes nothing: the caller is the owner as before. Owner only.
func (m *Queue) IsEmpty() bool {
	return m.todo.Get() == nil && m.turn.Get() == nil && m.head.Load() == m.seen.Get()
}

// GiveUp gives the queue up if there is nothing to dequeue, and reports whether it did: then the
// caller is no longer the owner. It does not wait. Owner only.
func (m *Queue) GiveUp() bool {
	if m.todo.Get() != nil || m.turn.Get() != nil {
		return false
	}
	seen := m.seen.Get()
	if m.head.Load() != seen {
		return false
	}
	m.seen.Clear()
	if m.head.CompareAndSwap(seen, nil) { // L3
		return true
	}
	m.seen.Set(seen)
	return false
}

// turning is a batch that is being reversed. oldest leads from the oldest node found so far up to
// the newest of the batch; rest leads down to stop, and is still to be reversed.
type turning struct{ oldest, rest, stop *Node }

// DequeueNew is DequeueWithin when no node is in order. It takes over all nodes above seen and
// returns the oldest. If there are none, it gives the queue up and returns nil. It returns nil and
// later if it has touched the allowed number of nodes before it came to the oldest. Owner only.
func (m *Queue) DequeueNew(most int) (oldest *Node, later bool) {
	if m.turn.Get() != nil {
		return m.goOnTurning(most)
	}
	seen := m.seen.Get()
	h := m.head.Load() // L2
	if h == seen {
		m.seen.Clear()                        // before L3: afterwards it is the next owner's
		if m.head.CompareAndSwap(seen, nil) { // L3
			return nil, false
		}
		h = m.head.Load() // L2
	}
	m.seen.Set(h)
	if n := h.node(); n.next.Get() == seen.node() { // most often there is one
		n.next.Clear()
		return n, false
	}
	if m.putInOrder(h, seen, most) == nil {
		return nil, true
	}
	return m.DequeueInOrder(), false
}

// putInOrder reverses a batch, from h down to seen, and returns the oldest node, which comes next.
// It returns nil if it has touched the allowed number of nodes before.
func (m *Queue) putInOrder(h, seen *Newest, most int) *Node {
	oldest, rest := reverseSome(h.node(), seen.node(), nil, most)
	if rest != seen.node() {
		m.turn.Set(&turning{oldest, rest, seen.node()})
		return nil
	}
	m.todo.Set(oldest)
	return oldest
}

// Peek returns the node that is dequeued next. It returns nil if there is none, or if none is in
// order after the allowed number of nodes was touched. The caller remains the owner. Owner only.
func (m *Queue) Peek(most int) *Node {
	if n := m.todo.Get(); n != nil || m.turn.Get() != nil {
		return n
	}
	seen, h := m.seen.Get(), m.head.Load()
	if h == seen {
		return nil
	}
	m.seen.Set(h)
	return m.putInOrder(h, seen, most)
}

// goOnTurning reverses more of a long batch. It only compares with stop, which was handed out and
// may be in any list by now.
func (m *Queue) goOnTurning(most int) (oldest *Node, later bool) {
	t := m.turn.Get()
	t.oldest, t.rest = reverseSome(t.rest, t.stop, t.oldest, most)
	if t.rest != t.stop {
		return nil, true
	}
	m.turn.Clear()
	m.todo.Set(t.oldest)
	return m.DequeueInOrder(), false
}

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
// through it the fields that an owner writes after it has dequeued the node.
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
