package calls

import (
	"encoding/binary"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/partition"
)

// Sketch:     a gate that is open takes the calls of each machine in the order of their numbers,
//             and has them delivered
//             a call that is not the next one, or that comes while the gate is closed, is refused
//             with all behind it in the row, for good
// Invariants: G1 Of a row whose calls are refused none is taken any more.
//             G2 The rows of a machine are known for longer than a call of it may be under way.
// Checked by: TestCalls; of package clustertest TestMachinesGuests

// Gate takes the calls to the units of one partition.
type Gate struct {
	p       int
	node    string
	world   partition.World
	tell    func(to string, m *Frame)
	deliver func(c *Incoming) error
	open    bool
	rows    map[string]*row // by machine
}

// ErrRefused says that what was to be delivered is not taken: the machine ends.
var ErrRefused = errors.New("calls: it is not taken")

// Incoming is a call that a [Gate] has taken.
type Incoming struct {
	Body []byte
	// Revoke has it fail unless it has begun; nil if it cannot be revoked. Who delivers it sets it.
	Revoke func()

	gate *Gate
	row  *row
	n    uint64
}

// row is the last row of calls that a machine has sent.
type row struct {
	from  string
	first uint64
	next  uint64
	over  bool                 // nothing of it is taken any more
	runs  map[uint64]*Incoming // what was taken and has not ended; of earlier rows, too
	heard time.Time
}

// keepRows is how long rows of a machine are known that is not heard of: longer than any call is
// under way.
const keepRows = 10 * time.Minute

// NewGate makes a gate, which is closed. deliver has a call run, which then ends; it fails with
// [ErrRefused], and then the call does not end.
func NewGate(p int, node string, world partition.World, tell func(to string, m *Frame), deliver func(c *Incoming) error) *Gate {
	return &Gate{p: p, node: node, world: world, tell: tell, deliver: deliver, rows: map[string]*row{}}
}

// Open has the gate take calls, or refuse them.
func (g *Gate) Open(open bool) { g.open = open }

// Receive takes a message of a line.
func (g *Gate) Receive(m *Frame) {
	switch m.Kind {
	case Cancel:
		g.cancel(m)
		return
	case Ask:
		g.asked(m)
		return
	}
	r := g.rowOf(m)
	if r == nil {
		return
	}
	r.heard = g.world.Now()
	switch m.Kind {
	case Call:
		g.call(r, m)
	case Probe:
		if r.over || m.N >= r.next {
			g.refuse(r)
		} else {
			g.says(r, Taken, r.next-1, nil)
		}
	}
}

// rowOf returns the row of a message; nil if there is a later one.
func (g *Gate) rowOf(m *Frame) *row {
	r := g.rows[m.Node]
	switch {
	case r == nil:
		r = &row{from: m.Node, runs: map[uint64]*Incoming{}}
		g.rows[m.Node] = r
		fallthrough
	case m.First > r.first:
		r.first, r.next, r.over = m.First, m.First, false
	case m.First < r.first:
		return nil
	}
	return r
}

func (g *Gate) call(r *row, m *Frame) {
	switch {
	case r.over, !g.open, m.N > r.next:
		g.refuse(r)
		return
	case m.N < r.next: // it was taken
		return
	}
	c := &Incoming{Body: m.Body, gate: g, row: r, n: m.N}
	r.next++
	r.runs[c.n] = c
	if err := g.deliver(c); errors.Is(err, ErrRefused) {
		delete(r.runs, c.n)
		r.next--
		g.refuse(r)
	}
}

// Running returns what was taken and has no outcome.
func (g *Gate) Running() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for _, r := range g.rows {
			for _, c := range r.runs {
				if !yield(c.Body) {
					return
				}
			}
		}
	}
}

// cancel revokes a call that has not begun.
func (g *Gate) cancel(m *Frame) {
	if r := g.rows[m.Node]; r != nil {
		if c := r.runs[m.N]; c != nil && c.Revoke != nil {
			c.Revoke()
		}
	}
}

// asked says which of some calls have ended: their outcomes are lost, or on their way.
func (g *Gate) asked(m *Frame) {
	r := g.rows[m.Node]
	if r == nil {
		return
	}
	var gone []byte
	for n := range numbers(m.Body) {
		if n < r.next && r.runs[n] == nil {
			gone = binary.AppendUvarint(gone, n)
		}
	}
	if len(gone) > 0 {
		g.says(r, Gone, 0, gone)
	}
}

// refuse refuses the rest of a row.
func (g *Gate) refuse(r *row) {
	r.over = true
	g.says(r, Refused, r.next, nil)
}

func (g *Gate) says(r *row, kind Kind, n uint64, body []byte) {
	g.tell(r.from, &Frame{Kind: kind, P: g.p, Node: g.node, First: r.first, N: n, Body: body})
}

// End gives a call its outcome. In the turn of the gate. It says the First of the present row, also
// of a call of an earlier one: numbers rise over all rows, so it takes nothing for the line.
func (c *Incoming) End(body []byte) {
	delete(c.row.runs, c.n)
	c.gate.says(c.row, Outcome, c.n, body)
}

// Members notes which machines there are: of others nothing is known after a while.
func (g *Gate) Members(all []string) {
	now := g.world.Now()
	for name, r := range g.rows {
		if slices.Contains(all, name) {
			r.heard = now
		} else if now.Sub(r.heard) > keepRows {
			delete(g.rows, name)
		}
	}
}
