package cluster

import (
	"sync/atomic"

	"github.com/freerun-go/freerun"
)

// Sketch:     a write of a unit ends on the goroutine of the store that writes, and others wait for
//             that. So the end is carried out on a processor of the runtime: it is put into a list,
//             and the one that finds the list empty has an operation take what is there soon
//             no other write is under way: its end is carried out at once
// Invariants: E1 A list that is not empty has an operation to come, which takes all of it.
//             E2 The ends of one unit's writes come one after another, as its writes do (I1 of
//             cell.go).
// Progress:   lock-free
// Checked by: TestDurable…, TestStress

// ends carries out the ends of writes.
type ends struct {
	node     *Node
	underway atomic.Int64          // writes
	list     atomic.Pointer[batch] // that have ended, the last one first
}

// begins begins a write.
func (e *ends) begins(b *batch) {
	e.underway.Add(1)
	e.node.engine.Put(b.writes, func(err error) { e.ended(b, err) })
}

// ended is called with the end of a write.
func (e *ends) ended(b *batch, err error) {
	b.err = err
	if e.underway.Add(-1) == 0 && e.list.Load() == nil {
		b.cell.wrote(nil, b)
		return
	}
	for {
		b.next = e.list.Load()
		first := b.next == nil // b is another operation's once it is in the list
		if !e.list.CompareAndSwap(b.next, b) {
			continue
		}
		if first {
			seam.Soon(e.node.rt, e)
		}
		return
	}
}

// Run implements [route.Turn].
func (e *ends) Run(c *freerun.Context, _ any) { e.takeAll(c) }

// Failed implements [route.Turn]. The runtime has ended.
func (e *ends) Failed(error) { e.takeAll(nil) }

// takeAll carries out the ends that are in the list, the first one first.
func (e *ends) takeAll(c *freerun.Context) {
	var first *batch
	for b := e.list.Swap(nil); b != nil; {
		b.next, first, b = first, b, b.next
	}
	for b := first; b != nil; {
		next := b.next
		b.next = nil
		b.cell.wrote(c, b)
		b = next
	}
}
