package partition

// rules are the decisions in which the protocol can be wrong. The tests have rules that are, to
// hold that the simulation finds it; all others are sound.
type rules interface {
	// takes decides about a command of a sender whose mark is given.
	takes(mark Number, c *Command) verdict
	// unknown returns the marks of a session that is not open; nil: there are none.
	unknown(m *marks, c *Command) *sessionMark
	// waits reports whether a command is settled only once what it has sent is accepted.
	waits() bool
	// keeps returns the marks of a checkpoint.
	keeps(settled, read *marks) *marks
	// resends returns what an entry has sent that had its effect before.
	resends(r *Record, seq uint64) []Send
	// cuts reports whether an outcome is not needed any more.
	cuts(m *marks, o *Outcome) bool
}

// sound are the rules.
type sound struct{}

func (sound) takes(mark Number, c *Command) verdict {
	switch {
	case !c.N.after(mark):
		return repeated
	case c.Prev.after(mark):
		return ahead
	}
	return taken
}

func (sound) unknown(*marks, *Command) *sessionMark { return nil }
func (sound) waits() bool                           { return true }
func (sound) keeps(settled, _ *marks) *marks        { return settled }
func (sound) resends(r *Record, seq uint64) []Send  { return r.sentBy(seq) }
func (sound) cuts(m *marks, o *Outcome) bool        { return !m.needs(o.Session, o.N) }
