package promise

import (
	"errors"
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations
	"unsafe"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Source:     L. Quirk, Ownership of a queue for practical lock-free scheduling, 2008, section 10:
//             the list of messages that wait for a future is an owner queue. Here the goroutine
//             that seals the promise owns the list, and gets it whole.
// Sketch:     state ─→ n3 ─→ n2 ─→ n1      open: next leads to older waiters
//             state = a seal               the outcome is known
//             Push: n.next = state; CAS(state→n), unless state is a seal
//             Seal: CAS(state→seal), unless state is a seal; the list is the caller's
// Invariants: I1 A seal never changes.
//             I2 The goroutine that seals the cell gets each waiter that Push has added, once. A
//                waiter that comes later finds the seal, and need not wait.
//             I3 The holder alone seals a cell as filled, or a revoker in its place, which first
//                writes its failure to the edge. Other goroutines set the other seals, and write
//                nothing else of the cell. A holder that comes later finds the seal, and drops its
//                outcome.
// Progress:   Push and Seal are lock-free: a failed CAS means that another call took effect. All
//             else is wait-free. A call that stalls delays no other.
// Linearize:  Push at L1, Seal at L2 or L3
// Publish:    The waiter writes before L1, and the sealer reads after L2. The value and the edge of
//             a filled cell are written before L2 or L3, and read after the seal was read.
// ABA/memory: none: a list that is only pushed to and taken whole cannot come back changed.
// Cost:       two words; a CAS to push, a CAS to seal; no allocation
// Checked by: TestExploreCell, TestExploreSeals

// Cell is the word of a promise. Embed it in the message that will have the outcome. The zero Cell
// is open, and nothing waits for it. A Cell must not be copied after first use.
//
// The holder of a cell is the goroutine that runs, or is about to run, the message that gives the
// cell its outcome. Through the lists that the message is in, the cell passes from one holder to
// the next.
type Cell struct {
	// state is the newest waiter, nil for none, or one of the seals.
	state atomics.Pointer[mailbox.Node]
	// edge says for which cell this one waits. It is one of five:
	//
	//	the cell that it waits for, also across a bridge   cycle.go
	//	a gate, for messages that wait for several things  cycle.go
	//	a mark: its message has begun, or has not          start.go
	//	its failure, once it is filled or revoked          Failure
	//	nil, for none of these
	//
	// The holder writes it, before the seal. A revoker writes it, too: start.go.
	edge atomics.RelaxedPointer[Cell]
}

// The seals. A cell with one of them has an outcome, for good. Only their addresses count.
var (
	Filled    mailbox.Node // the outcome is the value, or the failure in the edge
	Abandoned mailbox.Node // the runtime was closed before there was an outcome
	Circular  mailbox.Node // the outcome would have had to wait for itself
)

// The errors of cells that were sealed as Abandoned and as Circular. Package freerun exports both.
var (
	ErrClosed = errors.New("freerun: runtime is closed")
	ErrCycle  = errors.New("freerun: the result waits for itself")
)

// The marks are edges that lead to no future: start.go. Only their addresses count.
var unbegun, elsewhere, begun, failing Cell

// isFailure is the state of the cell in a Failure, which is no promise, and has no list.
var isFailure mailbox.Node

// Failure is the error of a failed promise. It stands in the place of an edge, and leads to no
// other cell.
type Failure struct {
	cell    Cell
	Err     error
	Senders []string     // the operations that sent the message, the last one first; nil if unknown
	dropped atomics.Bool // the revoker drops the message's argument: the holder must not
}

// NewFailure returns a failure with an error.
func NewFailure(err error) *Failure {
	f := &Failure{Err: err}
	f.cell.state.Store(&isFailure)
	return f
}

// Dropped reports whether a revoker has dropped the argument, or is about to: see [Cell.Revoke].
func (f *Failure) Dropped() bool { return f.dropped.Load() }

func failureOf(edge *Cell) *Failure { return (*Failure)(unsafe.Pointer(edge)) }

func (c *Cell) isFailure() bool { return c.state.Load() == &isFailure }

func sealed(n *mailbox.Node) bool { return n == &Filled || n == &Abandoned || n == &Circular }

// Open reports whether the cell has no outcome yet. Any goroutine.
func (c *Cell) Open() bool { return !sealed(c.state.Load()) }

// HasValue reports whether the cell has an outcome that is no error. Any goroutine.
func (c *Cell) HasValue() bool { return c.state.Load() == &Filled && c.edge.Load() == nil }

// Outcome returns whether the cell is closed, and the error if it is closed with one. Any
// goroutine.
func (c *Cell) Outcome() (closed bool, err error) {
	switch c.state.Load() {
	case &Filled:
		return true, c.err()
	case &Abandoned:
		return true, ErrClosed
	case &Circular:
		return true, ErrCycle
	}
	return false, nil
}

// err returns the error of a filled cell, nil if it has a value.
func (c *Cell) err() error {
	if f := c.edge.Load(); f != nil {
		return failureOf(f).Err
	}
	return nil
}

// Failure returns the failure of a cell that was filled with one, otherwise nil. Any goroutine.
func (c *Cell) Failure() *Failure {
	if c.state.Load() != &Filled {
		return nil
	}
	return failureOf(c.edge.Load())
}

// Idle reports whether the cell is open and nothing waits for it. Any goroutine.
func (c *Cell) Idle() bool { return c.state.Load() == nil }

// Make fills a cell that no other goroutine knows yet: with f, or with a value if f is nil.
func (c *Cell) Make(f *Failure) {
	if f != nil {
		c.Fail(f)
	}
	c.state.Store(&Filled)
}

// Clear clears the edge, for a cell that is about to be filled with a value. Holder only.
func (c *Cell) Clear() {
	if c.edge.Load() != nil {
		c.edge.Store(nil)
	}
}

// Fail makes f the failure with which the cell is about to be filled. Holder only.
func (c *Cell) Fail(f *Failure) { c.edge.Store(&f.cell) }

// TryFill seals an open cell as filled if nothing waits for it, and reports whether it did. Holder
// only: it has written the value and called Clear, or has called Fail. If TryFill has failed, the
// holder goes on with [Cell.Seal].
func (c *Cell) TryFill() bool { return c.state.CompareAndSwap(nil, &Filled) } // L3

// Seal closes the cell with one of the seals. It returns the newest of the nodes that waited, which
// leads on to the oldest, nil if there are none; and false if the cell was closed before. Any
// goroutine may call it with Abandoned and Circular.
func (c *Cell) Seal(with *mailbox.Node) (waited *mailbox.Node, won bool) {
	for {
		waiting := c.state.Load()
		if sealed(waiting) {
			return nil, false
		}
		if c.state.CompareAndSwap(waiting, with) { // L2
			return waiting, true
		}
	}
}

// Push adds n to those that wait. It returns false if the cell is closed already: then n stays the
// caller's. Any goroutine that holds n.
func (c *Cell) Push(n *mailbox.Node) bool {
	for {
		waiting := c.state.Load()
		if sealed(waiting) {
			return false
		}
		n.Link(waiting)
		if c.state.CompareAndSwap(waiting, n) { // L1
			return true
		}
	}
}

// PushFirst adds n if the cell is open and nothing waits for it, and reports whether it did; it is
// otherwise as Push.
func (c *Cell) PushFirst(n *mailbox.Node) bool {
	n.Link(nil)
	return c.state.CompareAndSwap(nil, n) // L1
}
