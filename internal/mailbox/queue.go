package mailbox

import (
	"math"
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Source:     L. Quirk, Ownership of a queue for practical lock-free scheduling, 2008, section 6. queue.Owner is its literal
//             form; here the emptiness counter and the list are one word.
// Sketch:     head ─→ n5 ─→ n4 ─→ n3 (seen) ─→ …     next leads to older nodes; the owner has taken all from seen down
//             todo ─→ n2 ─→ n3                       taken, oldest first, not yet handed out
//             Enqueue: n.next.Set(h)ead; CAS(head: h→n); idle if h was nil
//             Dequeue: hand out todo; when it is empty and head is still seen, CAS(head: seen→nil) gives the mailbox up;
//                      otherwise reverse from head down to seen into todo, and seen = head
// Invariants: I1 head is nil exactly while there is no owner. I2 while owned, the walk from head reaches seen, or the end if
//             seen is nil. I3 nodes above seen are written by nobody; the next of seen and below is the owner's.
//             seen and todo are the owner's; not invariant: seen may have been handed out and run long ago.
// Progress:   Enqueue is lock-free: a failed CAS means that another call took effect. Dequeue is wait-free but for the
//             reversal, which touches each node once in all: its one CAS is not retried, as a failure means new nodes.
//             A producer that stalls holds up nobody: it is not in the list before its CAS, and complete after it.
// Linearize:  Enqueue at L1; Dequeue of a node at L2 of the batch that it came in; giving up at L3
// Publish:    what the producer wrote to the node is written before L1 and read after L2; seen and todo are written
//             before L3 (giving up) and read by the next owner after its L1, or after what that producer hands on with
// ABA/memory: a node may be enqueued again once the Dequeue call after the one that handed it out has returned, as until
//             then it may be seen, on which L3 compares. After that, a node that comes back to head while a producer
//             sleeps is head, and the producer's CAS against it is right. An idle mailbox retains nothing.
// Cost:       one CAS a message, one more each time the owner gives up; no allocation
// Checked by: TestMailbox…, FuzzIntrusive

// Queue is the owner queue in its fast form: a first-in-first-out queue without bound, many producers, and one
// consumer at a time, which the queue itself appoints. The producer whose Enqueue finds the mailbox idle becomes its
// owner, or makes somebody else the owner by handing the mailbox on; the owner alone may call Dequeue, and owns it until
// Dequeue returns nil. So there is an owner whenever there is something to dequeue, and never more than one.
//
// The zero value is idle and empty. A mailbox must not be copied after first use. Nothing here waits or allocates.
// Dequeue by anybody but the owner corrupts the mailbox: the type cannot tell.
type Queue struct {
	head atomics.Pointer[Newest]

	seen atomics.Plain[*Newest]  // owner only
	todo atomics.Plain[*Node]    // owner only
	turn atomics.Plain[*turning] // owner only; nil but while a long batch is being reversed
}

// Enqueue adds n and reports whether the mailbox was idle: then the caller is its owner now, and must see to it that all
// is dequeued. Any goroutine.
func (m *Queue) Enqueue(n *Node) (wasIdle bool) {
	for {
		h := m.head.Load()
		n.next.Set(h.node())
		if m.head.CompareAndSwap(h, unmarked(n)) { // L1
			return h == nil
		}
	}
}

// Dequeue removes and returns the oldest node; nil means that there was none and that the caller is the owner no longer.
// Owner only. The first call after many nodes were enqueued touches all of them: see [Queue.DequeueWithin].
func (m *Queue) Dequeue() *Node {
	n, _ := m.DequeueWithin(math.MaxInt)
	return n
}

// DequeueWithin is Dequeue, but it touches at most so many nodes: if there are more to be brought into order first, it returns later, and nil,
// and the caller, who is still the owner, calls it again. It allocates once for a batch that takes more than one call. Owner only.
func (m *Queue) DequeueWithin(most int) (n *Node, later bool) {
	if n = m.DequeueInOrder(); n != nil {
		return n, false
	}
	return m.DequeueNew(most)
}

// DequeueInOrder is Dequeue for what an earlier call has brought into order already. If it returns nil, the caller is still the owner, and
// goes on with [Queue.DequeueNew]. Owner only.
func (m *Queue) DequeueInOrder() *Node {
	n := m.todo.Get()
	if n != nil {
		todo := n.next.Get()
		m.todo.Set(todo)
		if todo != nil {
			n.next.Clear() // a node that was handed out must not keep those behind it from being collected
		}
	}
	return n
}

// Reusable reports whether n, which Dequeue handed out, may be enqueued anywhere again before the next Dequeue. Owner only.
func (m *Queue) Reusable(n *Node) bool { return n != m.seen.Get().node() }

// GiveUp gives the mailbox up if there is nothing to dequeue, and reports whether it did: the caller is the owner no longer then, otherwise it
// still is. It does not wait. Owner only.
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

// turning is a batch that is being reversed: oldest leads to what was, from the oldest so far to the newest; rest leads down to stop.
type turning struct{ oldest, rest, stop *Node }

// DequeueNew is DequeueWithin when nothing is in order. It takes over all nodes above seen and returns the oldest; if there are none it gives the
// mailbox up and returns nil. It returns nil and later if it has touched as many as it may before it came to the oldest. Owner only.
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

// putInOrder reverses a batch, from h down to seen, and returns the oldest, which comes next; nil if it has touched as many as it may before.
func (m *Queue) putInOrder(h, seen *Newest, most int) *Node {
	oldest, rest := reverseSome(h.node(), seen.node(), nil, most)
	if rest != seen.node() {
		m.turn.Set(&turning{oldest, rest, seen.node()})
		return nil
	}
	m.todo.Set(oldest)
	return oldest
}

// Peek returns the node that is dequeued next; nil if there is none, or it is not in order after so many were touched. The caller remains the
// owner. Owner only.
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

// goOnTurning reverses more of a long batch. Its stop, which is handed out, is only compared with: it may be anywhere by now.
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
