package partition

// flaw names a mistake of the protocol, or of the cells: the controls of the simulation.
type flaw int

const (
	none          flaw = iota
	noFence            // writes do not look at the revision
	gaps               // a command is taken before one that is missing
	duplicates         // a command is taken twice
	forgetsOutbox      // a new owner does not send again what was sent
	checkpoints        // a checkpoint does not wait until what was sent is accepted
	marksEarly         // a checkpoint has the marks of what was delivered
	answersEarly       // outcomes are told before the write
	cutsEarly          // outcomes are removed with the next write
	overtakes          // a message overtakes in its unit
	noTombstone        // a unit is forgotten with its record
	strangers          // commands of a closed session are taken
	omits              // refusals are not recorded
	runsAgain          // a request runs again whose write may have been made
	removesEarly       // the record of a unit that was forgotten is removed with the next command
)

var flaws = map[string]flaw{
	"no fence":                                  noFence,
	"gaps are accepted":                         gaps,
	"duplicates are accepted":                   duplicates,
	"the outbox is forgotten at a hand-over":    forgetsOutbox,
	"a checkpoint before sends are accepted":    checkpoints,
	"marks of delivery instead of effect":       marksEarly,
	"the answer before the write":               answersEarly,
	"results are cut too early":                 cutsEarly,
	"a message overtakes in its unit":           overtakes,
	"Forget without a tombstone":                noTombstone,
	"commands of a closed session are accepted": strangers,
	"a refusal is not recorded":                 omits,
	"a tombstone is removed too early":          removesEarly,
	"a request runs again that may have run":    runsAgain,
}

// rules returns the rules with a flaw.
func (f flaw) rules() rules { return flawed{sound{}, f} }

type flawed struct {
	sound
	is flaw
}

func (f flawed) takes(mark Number, c *Command) verdict {
	v := f.sound.takes(mark, c)
	if f.is == gaps && v == ahead || f.is == duplicates && v == repeated {
		return taken
	}
	return v
}

func (f flawed) unknown(m *marks, c *Command) *sessionMark {
	if f.is != strangers {
		return nil
	}
	s := &sessionMark{mark: c.Prev}
	m.sessions[c.From.Session] = s
	return s
}

func (f flawed) waits() bool { return f.is != checkpoints }

func (f flawed) keeps(settled, read *marks) *marks {
	if f.is == marksEarly {
		return read
	}
	return settled
}

func (f flawed) resends(r *Record, seq uint64) []Send {
	if f.is == forgetsOutbox {
		return nil
	}
	return f.sound.resends(r, seq)
}

func (f flawed) cuts(m *marks, o *Outcome) bool { return f.is == cutsEarly || f.sound.cuts(m, o) }
