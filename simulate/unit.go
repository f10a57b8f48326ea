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

// unit is a unit of the program: the line of its mailbox, where all who send to it meet, and that of what else it is. Its messages are taken to run in the order in which
// they were sent.
type unit struct {
	mailbox, state line
	senders        []int // of the messages that have not run, by index
	ran            int   // how many of those at the front have
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

// run is told when p begins to run a message of the unit: the message, if another has sent it, and the unit, if another ran it last, have to come to p.
func (u *unit) run(m *machine, p *processor) {
	u.state.touch(m, p)
	if u.ran == len(u.senders) { // it was sent from outside
		return
	}
	if sender := u.senders[u.ran]; sender != p.index {
		p.waiting += m.costs.Transfer
		m.work(p, m.costs.Transfer)
	}
	if u.ran++; 2*u.ran >= len(u.senders) {
		u.senders = u.senders[:copy(u.senders, u.senders[u.ran:])]
		u.ran = 0
	}
}
