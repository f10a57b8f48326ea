package simulate

// line is a cache line that several processors write.
type line struct {
	owner int     // index of the processor that has it, plus 1; 0 if none has touched it yet
	free  float64 // when it arrives at its owner
}

// touch has p get the line if another processor has it. Processors that want it wait for each
// other.
func (l *line) touch(m *machine, p *processor) {
	if l.owner != p.index+1 && l.owner != 0 {
		waits := max(0, l.free-p.clock)
		p.waiting += waits + m.costs.Transfer
		m.work(p, waits+m.costs.Transfer)
		l.free = p.clock
	}
	l.owner = p.index + 1
}

// How many cache lines move from one processor to another, from the sizes of things and the
// processors that write them.
const (
	messageLines = 2 // a message is larger than one line and starts anywhere in one
	toldLines    = 1 // one without a future is not, in the second model
	unitLines    = 3 // a unit: its 88 bytes, its state, and what the state points to
	answerLines  = 2 // the receiver of an answer: a message that the answer makes ready
)

// unit is a unit of the program: the line of its mailbox, which all senders write, and the
// processor that has its state.
type unit struct {
	mailbox line
	ranOn   int  // index of the processor that ran it last, plus 1; 0 if none has
	open    int  // how many messages to it are noted
	inbox   bool // it came to its processor through the inbox
}

// note is what is kept of a message from its send until it runs, or ends without that.
type note struct {
	by    int   // the index of its sender
	unit  *unit // nil for a free operation, which is noted if it is sent from outside
	batch int   // of a free operation: see outside
}

// forget returns the note of a message, and drops it.
func (m *machine) forget(message any) (n note, noted bool) {
	if n, noted = m.notes[message]; !noted {
		return n, false
	}
	delete(m.notes, message)
	if u := n.unit; u != nil {
		u.open--
	}
	return n, true
}

func (m *machine) unit(key any) *unit {
	u := m.units[key]
	if u == nil {
		u = new(unit)
		m.units[key] = u
	}
	return u
}

// receive notes that p sends a message to the unit.
func (u *unit) receive(m *machine, p *processor, message any) {
	u.mailbox.touch(m, p)
	if m.isOutside(p) && u.open == 0 { // it was at rest
		u.inbox = true
		m.outside.inbox.write(m, p)
	}
	m.notes[message] = note{by: p.index, unit: u}
	u.open++
}

// run notes that p begins to run a message of the unit, whose lines move to p if another processor
// ran it last.
func (u *unit) run(m *machine, p *processor) {
	if u.ranOn != p.index+1 && u.ranOn != 0 {
		p.fetch(m, unitLines)
	}
	u.ranOn = p.index + 1
	if u.inbox {
		u.inbox = false
		m.outside.inbox.write(m, p)
	}
}
