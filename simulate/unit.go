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
// processor that has its state. Its messages run in the order in which they were sent, by
// assumption.
type unit struct {
	mailbox line
	ranOn   int   // index of the processor that ran it last, plus 1; 0 if none has
	senders []int // the indices of the senders; only the first ran messages have run
	ran     int
	inbox   bool // it came to its processor through the inbox
}

func (m *machine) unit(key any) *unit {
	u := m.units[key]
	if u == nil {
		u = new(unit)
		m.units[key] = u
	}
	return u
}

// receive notes that p sends to the unit.
func (u *unit) receive(m *machine, p *processor) {
	u.mailbox.touch(m, p)
	if m.isOutside(p) && u.ran == len(u.senders) { // it was at rest
		u.inbox = true
		m.outside.inbox.write(m, p)
	}
	u.senders = append(u.senders, p.index)
}

// run notes that p begins to run a message of the unit, whose lines move to p if another processor
// ran it last. It reports whether another processor has sent the message, or a goroutine outside.
func (u *unit) run(m *machine, p *processor) (foreign, outside bool) {
	if u.ranOn != p.index+1 && u.ranOn != 0 {
		p.fetch(m, unitLines)
	}
	u.ranOn = p.index + 1
	if u.inbox {
		u.inbox = false
		m.outside.inbox.write(m, p)
	}
	if u.ran == len(u.senders) { // the message came from outside, where no time is simulated
		return false, true
	}
	foreign, outside = u.senders[u.ran] != p.index, u.senders[u.ran] >= m.count
	if u.ran++; 2*u.ran >= len(u.senders) {
		u.senders = u.senders[:copy(u.senders, u.senders[u.ran:])]
		u.ran = 0
	}
	return foreign, outside
}
