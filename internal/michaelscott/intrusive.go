package michaelscott

import (
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
)

// Source:     F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an
//             Efficient Lock-Free Scheduler, JSSPP 2015, section 4, figures 4 to 6; the list is
//             that of list.go. Ours: items of any type; a second Enqueue of an item
//             that is in a queue is noticed; RELEASE is to drop the item; a node that leaves the
//             list links to itself.
// Sketch:     Enqueue e: n = Acquire(e's node), or a new one; n.value = e; link n
//             Dequeue:   unlink; e = the value; e's node = the old sentinel
// Invariants: I1 A node is an item's, a list's, a pool's or a caller's.
//             I2 An item that is in a queue has no node; one that came out of a queue has one,
//                which leads to no other.
//             NOT invariant: that an item gets the node back that it came with.
// Progress:   lock-free, as the list and Acquire are
// Linearize:  as the list
// Publish:    the item's node is written after unlink and before the item is handed out; the caller
//             of the next Enqueue has got it from there
// ABA/memory: a node goes from an item to a list only through Acquire, which all queues of items
//             share. Nodes ever allocated ≤ items that were ever in a queue + queues + 2N, N being
//             the processors: an item, or a queue's sentinel, gets a node once, and pools take 2N.
//             An item that becomes garbage takes its node along.
// Cost:       that of the list, and 2N loads to enqueue, of N cache lines that their processors
//             write
// Checked by: TestIntrusiveMPMC…, TestMichaelScott…, TestExploreIntrusiveMPMC, FuzzIntrusiveMPMC

// Item makes a value fit for an [IntrusiveMPMC]: embed it in the value's type. It keeps a node
// while it is in no queue, so that the next Enqueue, into any queue, need not allocate one. The
// zero value is an item without a node. An item is in one queue at most, and must not be copied
// after first use.
type Item struct {
	_ itemNoCopy

	// Owned by the caller of Enqueue, and then by that of the TryDequeue that hands the item out.
	node   atomics.Plain[*node[any]]
	queued atomics.Plain[bool]
}

// itemNoCopy makes go vet find copies.
type itemNoCopy struct{}

func (*itemNoCopy) Lock()   {}
func (*itemNoCopy) Unlock() {}

func (it *Item) item() *Item { return it }

// HasItem is satisfied by pointers to structs that embed [Item], and by no other type.
type HasItem interface{ item() *Item }

// itemNodes is the domain that all queues of items share, because an item may go from any of them
// to any other. Only tests replace it.
var itemNodes = new(domain[any])

// IntrusiveMPMC is a first-in-first-out queue without bound, for any number of producers and
// consumers, of values that embed an [Item]: run queues, between which the same tasks pass again
// and again. Any goroutine may call any method.
//
// The zero value is an empty queue. It must not be copied after first use. No method waits, and all
// are lock-free. The queue is linearizable.
//
// Enqueue allocates a node for an item that was never in a queue, and otherwise uses the one that
// the item came with. So the number of nodes depends on how many items there are, and not on how
// often they are enqueued: there are at most as many as items, and one for each queue, and two for
// each processor.
//
// It takes two to three atomic operations to enqueue and one to two to dequeue. An Enqueue also
// reads two words of each other processor.
type IntrusiveMPMC[E HasItem] struct{ list list[any] }

// Enqueue adds e as the last item. It is lock-free. It panics if e is in a queue already (it
// notices that for sure only if the other Enqueue came first in the sense of Go's memory model).
func (q *IntrusiveMPMC[E]) Enqueue(e E) {
	it := e.item()
	if it.queued.Get() {
		panic("michaelscott: Enqueue of an item that is in a queue already")
	}
	it.queued.Set(true)
	if !q.list.started() {
		q.list.start(nil)
	}
	nodes := itemNodes
	r := nodes.Enter()
	n := nodes.Acquire(r, it.node.Take())
	if n == nil {
		nodes.Leave(r)
		n = new(node[any])
		r = nodes.Enter()
	} else {
		n.renew()
	}
	n.value.Set(e)
	for b := (backoff.Backoff{}); !q.list.tryLink(r, n); r = nodes.Enter() {
		nodes.Leave(r)
		lost(&b)
	}
	nodes.Leave(r)
}

// TryEnqueue is Enqueue, and returns true: there is always room.
func (q *IntrusiveMPMC[E]) TryEnqueue(e E) bool {
	q.Enqueue(e)
	return true
}

// TryDequeue removes and returns the oldest item, which is the caller's now. If ok is false, there
// was no item at some instant of the call. It is lock-free.
func (q *IntrusiveMPMC[E]) TryDequeue() (e E, ok bool) {
	nodes := itemNodes
	for b := (backoff.Backoff{}); ; lost(&b) {
		r := nodes.Enter()
		n, v, came := q.list.tryUnlink(r)
		nodes.Leave(r)
		if came == taken {
			n.cut()
			e = v.(E)
			it := e.item()
			it.node.Set(n)
			it.queued.Set(false)
			return e, true
		}
		if came == empty {
			return e, false
		}
	}
}

// Len returns how many items there were at some instant of the call. It is lock-free, and costs
// about as much as the other methods.
func (q *IntrusiveMPMC[E]) Len() int { return q.list.len(itemNodes) }
