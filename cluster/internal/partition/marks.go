package partition

import "maps"

// Sketch:     an entry is taken if it is the next one of its sender: later than the sender's mark,
//             and the one before it is not. A sender that has missed an acknowledgment sends all
//             from there again; of those, which the log may then have twice, one is taken
// Invariants: M1 What is taken follows from the log alone. So all owners take the same.
//             M2 Each command of a sender is taken once at most, in the order of the numbers, and
//             only after all that the sender has sent before.
//             M3 A session whose name is not there is closed, or was never open: none of its
//             commands is taken. So nothing is kept of sessions that are closed.

// marks says which commands a partition has taken from whom, up to an entry of its log.
type marks struct {
	sessions map[uint64]*sessionMark // the open ones
	outboxes map[int]Number          // by partition
}

// sessionMark is what a partition has of an open session.
type sessionMark struct {
	node        string
	last        uint64 // its last entry
	mark, known Number
}

// verdict is what becomes of an entry.
type verdict byte

const (
	noted    verdict = iota // it is about a session, and was taken
	taken                   // it is to be run
	repeated                // it was taken before
	ahead                   // one is missing before it
	strange                 // its session is closed
)

func newMarks() marks {
	return marks{sessions: map[uint64]*sessionMark{}, outboxes: map[int]Number{}}
}

func (m *marks) clone() marks {
	c := marks{sessions: make(map[uint64]*sessionMark, len(m.sessions)), outboxes: maps.Clone(m.outboxes)}
	for name, s := range m.sessions {
		copied := *s
		c.sessions[name] = &copied
	}
	return c
}

// read takes the next entry of the log, or does not.
func (m *marks) read(seq uint64, e *Entry, by rules) verdict {
	switch {
	case e.Opening != nil:
		m.sessions[seq] = &sessionMark{node: e.Opening.Node, last: seq}
		return noted
	case e.Closing != nil:
		if s := m.sessions[e.Closing.Session]; s != nil && s.last <= e.Closing.After {
			delete(m.sessions, e.Closing.Session)
		}
		return noted
	}
	c := e.Command
	if c.From.Session == 0 {
		v := by.takes(m.outboxes[c.From.Outbox], c)
		if v == taken {
			m.outboxes[c.From.Outbox] = c.N
		}
		return v
	}
	s := m.sessions[c.From.Session]
	if s == nil {
		if s = by.unknown(m, c); s == nil {
			return strange
		}
	}
	s.last = seq
	if c.Known.after(s.known) {
		s.known = c.Known
	}
	v := by.takes(s.mark, c)
	if v == taken {
		s.mark = c.N
	}
	return v
}

// needs reports whether a session may still ask for the outcome of a command.
func (m *marks) needs(session uint64, n Number) bool {
	s := m.sessions[session]
	return s != nil && n.after(s.known)
}
