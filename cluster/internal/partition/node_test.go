package partition

import (
	"fmt"
	"time"
)

// node is a machine of the simulation, from its start to its crash: its clients, the partitions
// that it believes to own, and their units.
type node struct {
	sim      *sim
	name     string
	dead     bool
	paused   time.Duration // until then nothing happens
	held     []func()      // what would have happened meanwhile
	port     *port
	members  Members
	sessions []*Session
	owners   map[int]*Owner
	leaving  map[int]bool
	cells    map[string]*cell
	clients  []*client
}

var (
	_ World = (*node)(nil)
	_ Cells = (*node)(nil)
)

// begin starts a machine.
func (s *sim) begin() *node {
	s.names++
	n := &node{sim: s, name: fmt.Sprintf("n%d", s.names), owners: map[int]*Owner{}, leaving: map[int]bool{}, cells: map[string]*cell{}}
	n.port = &port{store: s.store, node: n, order: map[int]time.Duration{}}
	for p := range s.store.logs {
		x := NewSession(p, n.name, n.port, n)
		x.mostUnder = s.mostUnder
		n.sessions = append(n.sessions, x)
	}
	s.nodes = append(s.nodes, n)
	s.logf("%s starts", n.name)
	n.beat()
	n.after(Absent, n.look) // it hears of the others first
	return n
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
	n.port.until = n.sim.now + d
}

// tell sends a message to a machine: at most once, or twice.
func (n *node) tell(to string, f func(to *node)) {
	for range 1 + n.sim.random.IntN(8)/7 {
		if n.sim.happens(n.sim.rates.unheard) || n.port.cutFor() > 0 {
			continue
		}
		n.sim.after(n.sim.delay(usualWay), func() {
			for _, other := range n.sim.nodes {
				if other.name == to && other.port.cutFor() == 0 {
					other.happen(func() { f(other) })
				}
			}
		})
	}
}

// beat tells all machines that this one lives.
func (n *node) beat() {
	n.members.Beat(n.name, n.Now())
	for _, other := range n.sim.nodes {
		n.tell(other.name, func(to *node) { to.members.Beat(n.name, to.Now()) })
	}
	n.after(BeatEvery, n.beat)
}

// look begins to own, and ends.
func (n *node) look() {
	members := n.members.All(n.Now())
	for p := range n.sim.store.logs {
		mine := OwnerOf(p, members) == n.name
		switch o := n.owners[p]; {
		case mine && o == nil:
			n.own(p)
		case !mine && o != nil && !n.leaving[p]:
			n.leaving[p] = true
			n.sim.logf("%s leaves partition %d", n.name, p)
			o.Leave(func() { n.disowned(p, o) })
			// What does not come to its end is left as it is.
			n.after(time.Second, func() { o.End(); n.disowned(p, o) })
		}
	}
	n.after(BeatEvery/2, n.look)
}

func (n *node) own(p int) {
	n.sim.logf("%s owns partition %d", n.name, p)
	var o *Owner
	o = NewOwner(p, n.port, n, n, func(err error) {
		n.sim.logf("%s cannot own partition %d any more: %v", n.name, p, err)
		n.disowned(p, o)
	})
	o.rules, o.keepForgotten = n.sim.flaw.rules(), 4*latest
	o.mostUnder, o.mostQueued = n.sim.mostUnder, n.sim.mostQueued
	n.owners[p] = o
	o.Begin()
}

// disowned drops the units of a partition.
func (n *node) disowned(p int, o *Owner) {
	if n.owners[p] != o {
		return
	}
	delete(n.owners, p)
	delete(n.leaving, p)
	for _, c := range n.cells {
		if c.p == p {
			c.dead = true
			delete(n.cells, c.unit)
		}
	}
}

// Deliver implements [Cells].
func (n *node) Deliver(o *Owner, seq uint64, c *Command) {
	n.cellOf(c.Unit, o).deliver(&job{owner: o, seq: seq, command: c})
}

// Repeat implements [Cells].
func (n *node) Repeat(o *Owner, c *Command) {
	n.cellOf(c.Unit, o).deliver(&job{owner: o, command: c})
}

// Closed implements [Cells].
func (n *node) Closed(o *Owner, session uint64) {
	for _, other := range n.sim.nodes { // the name of its node is in no record
		n.tell(other.name, func(to *node) { to.sessions[o.p].Closed(session) })
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

// answer tells a sender an outcome.
func (n *node) answer(o *Owner, c *Command, value []byte) {
	if c.Told || c.From.Session == 0 {
		return
	}
	to := o.NodeOf(c.From.Session)
	n.tell(to, func(to *node) { to.sessions[o.p].Outcome(c.From.Session, c.N, value) })
}
