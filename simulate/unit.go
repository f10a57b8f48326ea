package simulate

// line is a cache line that is written by several.
type line struct {
	owner int     // the index of the processor that has it, plus 1; 0 if none has touched it yet
	free  float64 // when who gets it has it
}

// touch has p get the line, if another has it: one after another.
func (l *line) touch(m *machine, p *processor) {
	if l.owner != p.index+1 && l.owner != 0 {
		waits := max(0, l.free-p.clock)
		p.waiting += waits + m.costs.Transfer
		m.work(p, waits+m.costs.Transfer)
		l.free = p.clock
	}
	l.owner = p.index + 1
}

// How many cache lines move from one processor to another, counted from how large things are and who writes them.
const (
	messageLines = 2 // a message, which is larger than one and starts anywhere
	unitLines    = 3 // a unit: its 88 bytes, its state, and what that points to
	answerLines  = 2 // whoever waits for an answer: a message that the answer makes ready
)

// unit is a unit of the program: the line of its mailbox, where all who send to it meet, and where it is. Its messages are taken to run in the order in which
// they were sent.
type unit struct {
	mailbox line
	ranOn   int   // the index of the processor that ran it last, plus 1; 0 if none has
	senders []int // of the messages that have not run, by index
	ran     int   // how many of those at the front have
}

func (m *machine) unit(key any) *unit {
	u := m.units[key]
	if u == nil {
		u = new(unit)
		m.units[key] = u
	}
	return u
}

// receive is told when p sends to the unit.
func (u *unit) receive(m *machine, p *processor) {
	u.mailbox.touch(m, p)
	u.senders = append(u.senders, p.index)
}

// run is told when p begins to run a message of the unit, which has to come to p if another ran it last. It reports whether another has sent the message.
func (u *unit) run(m *machine, p *processor) (foreign bool) {
	if u.ranOn != p.index+1 && u.ranOn != 0 {
		p.fetch(m, unitLines)
	}
	u.ranOn = p.index + 1
	if u.ran == len(u.senders) { // it was sent from outside
		return false
	}
	foreign = u.senders[u.ran] != p.index
	if u.ran++; 2*u.ran >= len(u.senders) {
		u.senders = u.senders[:copy(u.senders, u.senders[u.ran:])]
		u.ran = 0
	}
	return foreign
}
