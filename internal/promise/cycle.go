package promise

import "github.com/freerun-go/freerun/internal/mailbox"

// A result that comes to wait for itself would stay open for ever, and so would all results that
// wait for it. That can happen only when a future escaped from the task that it belongs to, say
// into a unit's state, and came back as, or in, a result. Theorem 1 of L. Quirk, Ownership of a
// queue for practical lock-free scheduling, excludes that by assumption; freerun looks for cycles.
//
// Each message waits for one future at a time, and its edge says for which. So the edges form a set
// of paths, and a cycle is closed by the edge that is added last. A goroutine that adds an edge
// c → dep
//
//	C1  stores it in c.edge,
//	C2  puts c's message into dep's list, a compare-and-swap,
//	C3  follows the edges from dep on, and has found a cycle if it comes back to c.
//
// Invariants: I1 Of two goroutines that close a cycle together, each with one edge, at least one
//             sees the other's edge: C1 comes before C2, and C2 before C3.
//             I2 An edge that C3 reads may be old only if the future that it leads to is closed,
//             and the walk ends at a closed future.
//             I3 So all edges of the cycle that a walk has found held when it read the last one.
//             They hold for good: only the seal can wake a message of the cycle.
// Cost:       none for a send: a message that was only just made cannot be waited for yet, so its
//             first edge needs no C3.
// Checked by: TestExploreCycle

// isBridge is the state of a bridge. A bridge is a cell, but no promise. It leads from a cell whose
// message has begun to the cell that this one waits for, and tells S5 from S2: start.go.
var isBridge mailbox.Node

// Bridge returns an edge to dep for a cell whose message has begun, and may be revoked before.
func Bridge(dep *Cell) *Cell {
	b := &Cell{}
	b.state.Store(&isBridge)
	b.edge.Store(dep)
	return b
}

// SetEdge makes the edge lead to dep; nil for nothing (C1). Holder only, of a message that is not
// revocable, or has begun; see [Cell.Lead] for others.
func (c *Cell) SetEdge(dep *Cell) { c.edge.Store(dep) }

// HasEdge reports whether the edge leads to anything: to a cell that this one waits for, to a mark,
// or to a failure. Any goroutine.
func (c *Cell) HasEdge() bool { return c.edge.Load() != nil }

// Beyond returns the cell that the edge leads to, across a bridge. Holder only.
func (c *Cell) Beyond() *Cell {
	to := c.edge.Load()
	if to.state.Load() == &isBridge {
		return to.edge.Load()
	}
	return to
}

// ClosesCycle reports whether the edge from c to dep, which was just added, closes a cycle (C3).
// Any goroutine: the message may be another's since C2.
func (c *Cell) ClosesCycle(dep *Cell) bool {
	reached, end := c.Walk(dep)
	return reached || end != nil && Implied != nil && Implied(end, c)
}

// Implied tells whether the message of cell end, whose edge leads nowhere, waits for target in
// another way. Package freerun sets it, before there are messages: a message may wait for the state
// of its unit. end is no bridge.
var Implied func(end, target *Cell) bool

// Walk follows the edges from dep on, and reports whether it comes to c. If not, it returns the
// open cell at which the edges end, whose edge leads nowhere or to a gate; nil if they end at a
// cell that is closed, or whose message has begun or is elsewhere, or go round. Any goroutine.
func (c *Cell) Walk(dep *Cell) (reached bool, end *Cell) {
	// A cycle elsewhere, which another goroutine finds at this moment, must not keep the walk going
	// round: the walk runs into mark (R. P. Brent, An improved Monte Carlo factorization algorithm,
	// 1980).
	mark, hops, limit := (*Cell)(nil), 0, 16
	for x := dep; x.Open(); {
		if x == c {
			return true, nil
		}
		if x == mark {
			return false, nil
		}
		if hops++; hops == limit {
			mark, limit = x, 2*limit
		}
		next := x.edge.LoadAcquire()
		switch {
		case next == nil || next == &unbegun || next.isGate():
			return false, x
		case !next.leads():
			return false, nil
		}
		x = next
	}
	return false, nil
}

// Next returns the cell that the edge leads to, nil if it leads to none. Any goroutine.
func (c *Cell) Next() *Cell {
	if next := c.edge.LoadAcquire(); next != nil && next != &unbegun && !next.isGate() && next.leads() {
		return next
	}
	return nil
}

// Ends reports whether the cell is open, and its edge leads nowhere or to a gate. Any goroutine.
func (c *Cell) Ends() bool {
	next := c.edge.LoadAcquire()
	return c.Open() && (next == nil || next == &unbegun || next.isGate())
}

// leads reports whether an edge that is neither nil, unbegun nor a gate leads on.
func (c *Cell) leads() bool {
	return c != &begun && c != &failing && c != &elsewhere && !c.isFailure()
}

// isGate is the state of a gate. A gate is a cell, but no promise. It is the edge of messages that
// wait for several things at once, which Implied finds. Many messages may have the same one.
var isGate mailbox.Node

// MakeGate makes c, a zero cell, a gate.
func (c *Cell) MakeGate() { c.state.Store(&isGate) }

func (c *Cell) isGate() bool { return c.state.Load() == &isGate }

// Gate returns the gate that the edge leads to, nil if it leads to none. Any goroutine.
func (c *Cell) Gate() *Cell {
	if next := c.edge.LoadAcquire(); next != nil && next.isGate() {
		return next
	}
	return nil
}

// Waiting says what an attempt to wait has come to.
type Waiting uint8

const (
	Resolved Waiting = iota // dep is closed already: the caller goes on
	Waits                   // the message belongs to the goroutine that wakes it, or has woken it
	InCycle                 // c would wait for itself: the caller seals it as Circular
	Revoked                 // the message was revoked: start.go
)

// Follow puts n, the node of c's message, into dep's list, after the edge was made to lead there
// (C2), and looks for a cycle (C3). unshared: no other goroutine knows c yet. Holder only.
func (c *Cell) Follow(dep *Cell, n *mailbox.Node, unshared bool) Waiting {
	for { // Push, written out, because Go does not inline it
		waiting := dep.state.Load()
		if sealed(waiting) {
			return Resolved
		}
		n.Link(waiting)
		if dep.state.CompareAndSwap(waiting, n) { // C2
			break
		}
	}
	if !unshared && c.ClosesCycle(dep) { // C3
		return InCycle
	}
	return Waits
}
