package cluster

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/cluster/internal/partition"
)

// Sketch:     the record of a unit begins with how far it is in the log, the outcomes that may be
//             asked for, and what its operations have sent (partition.Record). A write of it is
//             made only if the record is still the one that the unit has loaded, or written
//             the write is done: the owner is told that its commands are done, and the senders are
//             told the outcomes
//             another machine has written the record, or it is not known whether this one has: the
//             unit loads it again. What the record has was done; all else runs again
// Invariants: P1 A command runs on a record that has the effects of all commands to the unit before
//             it, and of none behind it.
//             P2 A request whose write may have been made is done if the record has the name of
//             that write, and runs again only while the record is the one that the write expected.
// Checked by: of package clustertest TestMachines…

// loggedCell is what a cell has that machines share.
type loggedCell struct {
	part *part
	// owner is for whom the state was loaded. The unit's turn.
	owner  *partition.Owner
	stored atomic.Pointer[storedRecord]
	// loads counts how often the state was loaded. The unit's turn.
	loads uint64
	// ran is the number of the last command that has run on the state. The unit's turn.
	ran uint64
	// How large the next record will be, beside the state (logged_room.go). The unit's turn.
	recorded, added int
	pending         int // runs with identities
}

// storedRecord is a record as it is stored. It does not change.
type storedRecord struct {
	partition.Record
	revision uint64
	state    bool                // it has one
	length   int                 // of the state
	whole    []partition.Outcome // before they were cut; nil if they were not
	wake     time.Time           // in the unit's wake, an entry of its own; zero without one
}

// append appends what the record has before the state.
func (r *storedRecord) append(b []byte) []byte {
	return append(r.Record.Append(b), layout.EncodeWake(r.wake)...)
}

// decodeStored reads a record, and returns the state; nothing if it has none.
func decodeStored(value []byte) (r *storedRecord, state []byte, err error) {
	r = &storedRecord{}
	if r.Record, state, err = partition.DecodeRecord(value); err != nil {
		return nil, nil, err
	}
	if r.wake, state, err = layout.CutWake(state); err != nil {
		return nil, nil, err
	}
	r.state, r.length = len(state) > 0, len(state)
	return r, state, nil
}

// errEarly is the outcome of a delivery that has overtaken one that is about to be tried again.
var errEarly = errors.New("cluster: an earlier delivery to the unit is to come first")

// isDeferred reports whether an outcome says that an operation has not run, and comes again.
func isDeferred(err error) bool {
	return err == errBehind || err == errEarly || err == errFull || err == errOver
}

// loadLogged reads the state of a unit that machines share.
func (c *cell) loadLogged(into any, done func(found bool, err error)) {
	s := c.logged
	owner := s.part.owner.Load()
	if owner == nil {
		done(false, s.part.of.notOwned())
		return
	}
	s.part.of.engine.Read(s.part.p, c.key, func(value []byte, revision uint64, err error) {
		if errors.Is(err, engine.ErrUncertain) {
			c.kind.node.after(leastPause, func() { c.loadsAgain(into, done) })
			return
		}
		stored, list, err := c.decodeLogged(value, into, err)
		if err != nil {
			s.part.of.failsIfNewer(owner, err)
			done(false, err)
			return
		}
		stored.revision = revision
		s.trims(owner, stored, func() {
			s.owner, s.ran, s.loads = owner, stored.Last, s.loads+1
			s.stored.Store(stored)
			s.recorded, s.added = stored.size(), 0
			c.loaded(list)
			c.hasWake(owner)
			s.part.cells.Store(c, nil)
			done(stored.state, nil)
		})
	})
}

// loadsAgain reads the state once more, unless the node ends.
func (c *cell) loadsAgain(into any, done func(found bool, err error)) {
	if c.logged.part.of.isEnding() {
		done(false, ErrClosed)
	} else {
		c.loadLogged(into, done)
	}
}

// hasWake has the node know the unit's wake as it is stored: a write may have been made that this
// machine did not hear of.
func (c *cell) hasWake(owner *partition.Owner) {
	wakes, at := &c.kind.node.wakes, c.logged.stored.Load().wake
	if c.logged.part.owner.Load() == owner && !at.Equal(wakes.at(c.key)) {
		wakes.set(c.kind, string(c.key), at)
	}
}

// decodeLogged reads a record, nil for none, unless err says that it cannot be read.
func (c *cell) decodeLogged(value []byte, into any, err error) (*storedRecord, []timer, error) {
	if err != nil || value == nil {
		return &storedRecord{}, nil, err
	}
	stored, state, err := decodeStored(value)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: the record of unit %v of kind %s: %w", ErrStateLost, c.unit.Key(), c.kind.given, err)
	}
	list := []timer(nil)
	if stored.state {
		list, err = c.kind.decode(c.unit.Key(), state, into)
	}
	return stored, list, err
}

// settledBefore reports whether the outcome of a run, which is about to run, is decided without
// that, and gives it free: the record has it, its owner has ended, or it is too early. In the
// unit's turn.
func (c *cell) settledBefore(r *run) bool {
	s := c.logged
	if s == nil {
		return false
	}
	stored := s.stored.Load()
	switch d, q := r.of, r.logged.asked; {
	case d != nil && d.isOver():
		r.release(errOver)
	case d != nil && stored.Has(d.number):
		d.done = true
		s.part.hadRun(d, stored)
		r.release(nil)
	case d != nil && d.isEarly(c, 0):
		r.release(errEarly)
	case s.pending >= mostPending, d != nil && c.isFull():
		r.release(errFull)
	case q != nil && q.write != "" && q.write == stored.Write:
		r.release(r.refused)
	case q != nil && q.write != "" && q.base != stored.revision:
		r.release(engine.ErrUncertain)
	default:
		return false
	}
	return true
}

// hadRun tells the owner that a command had its effect before, and its sender the outcome.
func (pt *part) hadRun(d *delivery, stored *storedRecord) {
	pt.turn.Run(func() {
		d.leaves()
		d.logged.owner.HadRun(d.number, &stored.Record)
		record := stored.Record
		if stored.whole != nil {
			record.Outcomes = stored.whole
		}
		if outcome, there := record.Outcome(d.logged.command.From.Session, d.logged.command.N); there {
			pt.of.machine.Answer(d.logged.owner, d.logged.command, outcome)
		}
	})
}

// isStale reports whether the state was loaded for an owner that has ended. In the unit's turn.
func (c *cell) isStale() bool {
	return c.logged != nil && c.logged.part.owner.Load() != c.logged.owner
}

// isBehind reports whether the unit is to load its state again before a run: it is stale, or the
// record is further. In the unit's turn.
func (c *cell) isBehind(r *run) bool {
	return c.isStale() || c.logged != nil && r.of != nil && r.of.reloads(c, 0)
}

// isOver has the unit drop its state, since the owner has ended.
func (c *cell) isOver() {
	c.unit.Run(func(*freerun.Context, any) {
		if c.isStale() && c.phase.Load() == idle {
			c.unit.Drop()
		}
	}, func(error) {})
}

// lookUp is lookUp of a cell.
func (s *loggedCell) lookUp(r *run) {
	s.part.of.engine.Read(s.part.p, r.kept.key, func(value []byte, _ uint64, err error) {
		if errors.Is(err, engine.ErrUncertain) && !s.part.of.isEnding() {
			r.cell.kind.node.after(leastPause, func() {
				if s.part.of.isEnding() {
					r.cell.answered(r, nil, err)
				} else {
					s.lookUp(r)
				}
			})
			return
		}
		r.cell.answered(r, value, err)
	})
}

// isReplayed reports whether the outcome of a run was stored before: it only has to be in the
// record.
func (r *run) isReplayed() bool { return r.logged != nil && r.logged.replayed }

// goesThroughLog reports whether a request has told something: what it has changed is to be undone,
// and it goes through the log, unless it may have had its effect (R3 of package partition).
func (r *run) goesThroughLog() bool {
	if r.logged == nil || r.logged.asked == nil || len(r.tells) == 0 {
		return false
	}
	if r.logged.asked.write != "" {
		r.refuse(engine.ErrUncertain)
	} else {
		r.refuse(errThroughLog)
	}
	return true
}

// loggedRun is what a run has on a unit that machines share.
type loggedRun struct {
	asked *asked // that it is; nil for others
	// sends and outcome are what the record has of it, once it is in a write.
	sends   []partition.Send
	outcome []byte
	// replayed: its outcome was stored before, under its identity.
	replayed bool
}
