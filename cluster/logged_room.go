package cluster

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/cluster/internal/partition"
)

// Sketch:     the record of a unit that machines share is one message of the store, which has a
//             largest size. Shares of it are for
//             the state: 7/16. An operation that leaves a larger one is refused, and undone
//             what one command adds, its outcome and what it tells: 4/16. More is refused, too
//             what those before have added: 4/16. If there is more, no command runs until the
//             senders know the outcomes, and a checkpoint is behind what was told
//             the rest of what a record has
//             outcomes take half of their share at most. The oldest are cut then to the fact that
//             there is one: nearly always its sender has it long since
// Invariants: Z1 A record, an entry and a message are never larger than the store takes.
//             Z2 The first command of a partition that has not run is never held back for long: all
//             that its unit has told is of commands before it, and so behind a checkpoint soon.
// Checked by: of package clustertest TestMachinesLarge

// room is how many bytes may be taken by what machines share.
type room layout.Room

// mostPending is how many runs with identities one write holds: each adds two entries beside the
// record, and the atomic writes of JetStream have a thousand at most.
const mostPending = 400

// isPending notes that a run is in the next write. In the unit's turn.
func (s *loggedCell) isPending(r *run) {
	if r.hasIdentity() {
		s.pending++
	}
	if r.of != nil {
		s.ran = max(s.ran, r.of.number)
		s.added += r.size()
	}
}

// mostOverhead is what a message, or an outcome, has beside its parts, at most.
const mostOverhead = 64

// errFull is the outcome of what comes again when the next write has room for it.
var errFull = errors.New("cluster: the next write of the unit has no room for it")

// The errors of commands whose outcomes were cut.
var (
	errCut        = errors.New("it has had its effect, and its outcome is not there any more, for want of room in the record of its unit; give it an identity (Once)")
	errCutRefusal = errors.New("it was refused, and has had no effect; why is not there any more, for want of room in the record of its unit")
)

// mayHave returns why something may not take so many bytes; nil if it may.
func mayHave(what string, n, most int) error {
	if n <= most {
		return nil
	}
	return fmt.Errorf("%w: %s takes %d bytes, and may take %d; keep parts of it in units of their own", ErrTooLarge, what, n, most)
}

// mayTell returns why a unit may not tell an argument; nil if it may. On one machine the limits are
// those of package codec.
func (n *Node) mayTell(what string, arg []byte) error {
	if n.shared == nil {
		return nil
	}
	return mayHave(what, len(arg), n.shared.room.Told)
}

// mayHave returns why a unit may not have a state; nil if it may. One that is stored may stay as
// large as it is: the store may have taken more before.
func (s *loggedCell) mayHave(c *cell, record []byte) error {
	most := s.part.of.room.State
	if len(record) <= max(most, s.stored.Load().length) {
		return nil
	}
	return mayHave(fmt.Sprintf("the state of unit %v of kind %s", c.unit.Key(), c.kind.given), len(record), most)
}

// mayAdd returns why a run may not add to the record what it has told, and its outcome; nil if it
// may. What goes along with what it has told stays behind if there is no room for it.
func (r *run) mayAdd() error {
	if r.logged == nil {
		return nil
	}
	most := r.cell.logged.part.of.room.Added
	if r.size() > most {
		r.leaveValues()
	}
	return mayHave("what it has told, with its outcome,", r.size(), most)
}

// leaveValues has nothing go along with what a run has told.
func (r *run) leaveValues() {
	for i := range r.tells {
		r.tells[i].Values = nil
	}
}

// size returns how many bytes a run adds to the record, at most.
func (r *run) size() (n int) {
	for i := range r.tells {
		n += sizeOf(&r.tells[i])
	}
	switch {
	case r.refused != nil:
		n += r.cell.logged.part.of.room.Text
	case r.kept != nil && r.kept.err != nil:
		n += len(encodeError(r.kept.err))
	case r.kept != nil:
		n += len(r.kept.encoded)
	}
	if r.of != nil && r.of.isQuestion() { // the answer has the argument
		n += sizeOf(&r.of.tell)
	}
	return n + mostOverhead
}

// sizeOf returns how many bytes a message takes in a record, at most.
func sizeOf(t *tell) (n int) {
	for _, v := range t.Values {
		n += len(v.Name) + len(v.Value) + mostOverhead/8
	}
	return n + len(t.Kind) + len(t.Key) + len(t.Operation) + len(t.Arg) + len(t.Reply.Kind) + len(t.Reply.Key) + len(t.Reply.Operation) + mostOverhead
}

// size returns how many bytes a record has of what commands have added.
func (r *storedRecord) size() (n int) {
	for i := range r.Outcomes {
		n += len(r.Outcomes[i].Value) + mostOverhead/2
	}
	for i := range r.Sends {
		n += len(r.Sends[i].Unit) + len(r.Sends[i].Body) + mostOverhead
	}
	return n
}

// cutOutcomes cuts the oldest outcomes until all have room.
func (m *room) cutOutcomes(all []partition.Outcome) {
	n := 0
	for i := range all {
		n += len(all[i].Value)
	}
	for i := 0; i < len(all) && n > m.Outcomes; i++ {
		less := layout.CutResult(all[i].Value)
		n += len(less) - len(all[i].Value)
		all[i].Value = less
	}
}

// cut returns an error that has room where one is stored.
func (m *room) cut(err error) error {
	if err == nil {
		return nil
	}
	if len(encodeError(err)) <= m.Text {
		return err
	}
	text := dataOf(err).Text
	return errors.New(text[:min(len(text), m.Text/8)] + "…")
}

// isFull reports whether the record has no room for what commands add. Then what is not needed of
// it is left out. In the unit's turn.
func (c *cell) isFull() bool {
	s := c.logged
	stored := s.stored.Load()
	if p := c.phase.Load(); p == idle || p == sharing {
		s.recorded = stored.size()
	}
	if s.recorded+s.added <= s.part.of.room.Recorded {
		return false
	}
	if owner := s.part.owner.Load(); owner != nil {
		less := *stored
		less.Outcomes, less.Sends = slices.Clone(stored.Outcomes), slices.Clone(stored.Sends)
		s.trims(owner, &less, func() { s.stored.CompareAndSwap(stored, &less) })
	}
	return true
}

// trims has a record, if it is large, have nothing any more that is not needed. In memory: the next
// write stores it. Then it calls done.
func (s *loggedCell) trims(o *partition.Owner, r *storedRecord, done func()) {
	if r.size() <= s.part.of.room.Recorded/2 {
		done()
		return
	}
	s.part.turn.Run(func() {
		o.Trim(&r.Record)
		r.whole = slices.Clone(r.Outcomes)
		s.part.of.room.cutOutcomes(r.Outcomes)
		s.part.hurries(o, r)
		done()
	})
}

// hurries has the owner store a checkpoint if what a record has told takes much room: none of that
// is needed behind it. The turn of the partition.
func (pt *part) hurries(o *partition.Owner, r *storedRecord) {
	if len(r.Sends) > 0 && r.size() > pt.of.room.Recorded/4 {
		o.Checkpoint()
	}
}

// mostDue is how many bytes the timers take that the unit tells itself at once.
func (c *cell) mostDue() int {
	if c.logged == nil {
		return math.MaxInt
	}
	return c.logged.part.of.room.Told
}
