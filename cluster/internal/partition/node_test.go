package partition

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/logsim"
)

// node is a machine of the simulation, from its start to its crash: its clients, and the units that
// it has.
type node struct {
	*Machine
	sim     *sim
	name    string
	dead    bool
	paused  time.Duration // until then nothing happens
	held    []func()      // what would have happened meanwhile
	port    *logsim.Port
	cells   map[string]*cell
	writes  int // that have requests
	clients []*client
	older   bool // its program does not know orders for the unit "new"
}

var (
	_ World = (*node)(nil)
	_ Cells = (*node)(nil)
	_ Bus   = (*node)(nil)
)

// begin starts a machine.
func (s *sim) begin() *node {
	s.names++
	n := &node{sim: s, name: fmt.Sprintf("n%d", s.names), cells: map[string]*cell{}}
	n.port = s.store.Port(n)
	n.Machine = NewMachine(n.name, partitions, n.port, n, n, func(int) World { return n }, n)
	n.tune = func(o *Owner) {
		s.logf("%s owns partition %d", n.name, o.p)
		o.rules, o.keepForgotten = s.flaw.rules(), 4*logsim.Latest
		o.mostUnder, o.mostQueued = s.mostUnder, s.mostQueued
	}
	for _, t := range n.parts {
		t.session.mostUnder = s.mostUnder
	}
	s.nodes = append(s.nodes, n)
	s.logf("%s starts", n.name)
	n.Begin()
	return n
}

// leaves has the machine leave, and end then.
func (n *node) leaves() {
	n.sim.logf("%s leaves", n.name)
	n.Leave(func() {
		n.sim.logf("%s has left", n.name)
		n.End()
		n.crash()
	})
}

// after has f happen on the machine after a while: later if that is paused, never if it is dead.
func (n *node) after(d time.Duration, f func()) {
	n.sim.after(d, func() { n.happen(f) })
}

func (n *node) happen(f func()) {
	switch {
	case n.dead:
	case n.sim.now < n.paused:
		n.held = append(n.held, f)
	default:
		f()
	}
}

// Run implements [World].
func (n *node) Run(f func()) { f() }

// After implements [World].
func (n *node) After(d time.Duration, f func()) { n.after(d, f) }

// Now implements [World].
func (n *node) Now() time.Time { return time.Unix(0, 0).Add(n.sim.now) }

// crash ends the machine.
func (n *node) crash() {
	n.sim.logf("%s crashes", n.name)
	n.dead = true
	for i, other := range n.sim.nodes {
		if other == n {
			n.sim.nodes = append(n.sim.nodes[:i:i], n.sim.nodes[i+1:]...)
		}
	}
	for _, c := range n.clients {
		c.dead = true
	}
}

// pause stops the machine for a while.
func (n *node) pause(d time.Duration) {
	n.sim.logf("%s is paused for %v", n.name, d)
	n.paused = n.sim.now + d
	n.sim.after(d, func() {
		held := n.held
		n.held = nil
		for _, f := range held {
			n.happen(f)
		}
	})
}

// cut cuts the machine off for a while.
func (n *node) cut(d time.Duration) {
	n.sim.logf("%s is cut off for %v", n.name, d)
	n.port.Cut(d)
}

// mostWay is how long a message between machines takes at most.
const mostWay = 2 * time.Millisecond

// Send implements [Bus]: a message comes, or not.
func (n *node) Send(to string, message []byte) {
	for _, other := range n.sim.nodes {
		if to != "" && other.name != to {
			continue
		}
		if n.sim.happens(n.sim.rates.unheard) || n.port.CutFor() > 0 {
			continue
		}
		n.sim.after(n.sim.delay(mostWay), func() {
			if other.port.CutFor() == 0 {
				other.happen(func() { other.Receive(slices.Clone(message)) })
			}
		})
	}
}

// Began implements [Cells].
func (n *node) Began(*Owner) {}

// Deliver implements [Cells].
func (n *node) Deliver(o *Owner, seq uint64, c *Command) {
	if n.older && c.Unit == "new" {
		o.Fail(errMessage)
		return
	}
	n.cellOf(c.Unit, o).deliver(&job{owner: o, seq: seq, command: c})
}

// Repeat implements [Cells].
func (n *node) Repeat(o *Owner, c *Command) {
	n.cellOf(c.Unit, o).deliver(&job{owner: o, command: c})
}

// Request implements [Cells].
func (n *node) Request(o *Owner, r *Request) { n.cellOf(r.Unit, o).deliver(&job{owner: o, request: r}) }

// Ended implements [Cells].
func (n *node) Ended(o *Owner) {
	n.sim.logf("%s does not own partition %d any more", n.name, o.p)
	for _, unit := range slices.Sorted(maps.Keys(n.cells)) {
		if c := n.cells[unit]; c.p == o.p {
			delete(n.cells, unit)
			c.ends()
		}
	}
}

func (n *node) cellOf(unit string, o *Owner) *cell {
	c := n.cells[unit]
	if c == nil {
		c = &cell{node: n, unit: unit, p: o.p}
		n.cells[unit] = c
	}
	return c
}
