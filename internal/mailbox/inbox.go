package mailbox

import "github.com/freerun-go/freerun/internal/sync/atomics"

// Source:     R. K. Treiber, Systems Programming: Coping with Parallelism, 1986, without its pop
// Sketch:     Add: link to head, CAS head.  TakeAll: swap head for nil, reverse what came.
// Invariants: I1 from head, next leads to ever older nodes and ends in nil. I2 a node reachable from head is written by nobody.
// Progress:   Add is lock-free: a failed CAS means that another call took effect. TakeAll is wait-free but for the
//             reversal, which touches each node taken once. A peer that stalls anywhere holds up nobody.
// Linearize:  Add at its successful CAS (L1), TakeAll at the swap (L2)
// Publish:    Node.next, and all that the adder wrote to the node's owner, is written before L1 and read after L2
// ABA/memory: none: a head that left and came back is still the head, and next is set to it afresh before each CAS.
//             Nothing is retained after TakeAll.
// Cost:       one CAS to add, one swap to take any number
// Checked by: TestInbox…, FuzzIntrusive

// Inbox is a list that anybody adds to and anybody takes whole: what was added, in the order in which it was added. The
// zero value is empty. It must not be copied after first use. Neither method waits or allocates.
type Inbox struct {
	head atomics.Pointer[Node]
}

// Add adds n. Any goroutine.
func (b *Inbox) Add(n *Node) {
	for {
		h := b.head.Load()
		n.next.Set(h)
		if b.head.CompareAndSwap(h, n) { // L1
			return
		}
	}
}

// AddChain adds all nodes of a list that leads from newest down to oldest, at one instant. Any goroutine.
func (b *Inbox) AddChain(newest, oldest *Node) {
	for {
		h := b.head.Load()
		oldest.next.Set(h)
		if b.head.CompareAndSwap(h, newest) { // L1
			return
		}
	}
}

// TakeAll removes all nodes and returns the oldest, which leads to the newest, or nil. Any goroutine.
func (b *Inbox) TakeAll() *Node {
	if b.head.Load() == nil {
		return nil
	}
	return reverse(b.head.Swap(nil)) // L2
}

// Empty reports whether the inbox was empty at some instant of the call. Any goroutine.
func (b *Inbox) Empty() bool { return b.head.Load() == nil }
