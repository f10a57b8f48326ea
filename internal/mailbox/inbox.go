package mailbox

import "github.com/freerun-go/freerun/internal/sync/atomics"

// Source:     R. K. Treiber, Systems Programming: Coping with Parallelism, 1986, without its pop
// Sketch:     Add: link to head, CAS head.  TakeAll: swap head for nil, reverse the list.
// Invariants: I1 From head, next leads to ever older nodes and ends in nil.
//             I2 No goroutine writes to a node that is reachable from head.
// Progress:   Add is lock-free: a failed CAS means that another call took effect. TakeAll is
//             wait-free but for the reversal, which touches each node once. A call that stalls
//             delays no other.
// Linearize:  Add at its successful CAS (L1), TakeAll at the swap (L2)
// Publish:    Node.next, and everything that the adder wrote to the element, is written before L1
//             and read after L2.
// ABA/memory: none: a head that left and came back is still the head, and next is set anew before
//             each CAS. Nothing is retained after TakeAll.
// Cost:       one CAS to add, one swap to take any number
// Checked by: TestInbox…, FuzzIntrusive, TestExploreInbox

// Inbox is a list to which any goroutine adds, and from which any goroutine takes everything at
// once, in the order in which it was added. The zero value is empty. An Inbox must not be copied
// after first use. No method waits or allocates.
type Inbox struct {
	head atomics.Pointer[Node]
}

// Add adds n. Any goroutine; lock-free.
func (b *Inbox) Add(n *Node) {
	for {
		h := b.head.Load()
		n.next.Set(h)
		if b.head.CompareAndSwap(h, n) { // L1
			return
		}
	}
}

// AddChain adds the nodes of a list that leads from newest down to oldest, all at one instant. Any
// goroutine; lock-free.
func (b *Inbox) AddChain(newest, oldest *Node) {
	for {
		h := b.head.Load()
		oldest.next.Set(h)
		if b.head.CompareAndSwap(h, newest) { // L1
			return
		}
	}
}

// TakeAll removes all nodes and returns the oldest, which leads on to the newest; nil if there are
// none. Any goroutine.
func (b *Inbox) TakeAll() *Node {
	if b.head.Load() == nil {
		return nil
	}
	return reverse(b.head.Swap(nil)) // L2
}

// Empty reports whether the inbox was empty at some instant of the call. Any goroutine.
func (b *Inbox) Empty() bool { return b.head.Load() == nil }
