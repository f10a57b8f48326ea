package cluster

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/cluster/internal/partition"
)

// The writes of a unit that machines share, and what follows from their ends: the steps of the
// sketch in logged_cell.go that cell_write.go has for units of one process.

// loggedBatch is what a write has that goes to a log.
type loggedBatch struct {
	owner    *partition.Owner
	next     storedRecord
	expected uint64 // the revision
}

// nextRecord returns the record that the next write makes, for what is added to it.
func (s *loggedCell) nextRecord() *loggedBatch {
	stored := s.stored.Load()
	b := &loggedBatch{owner: s.owner, expected: stored.revision}
	b.next.Last, b.next.wake = stored.Last, stored.wake
	b.next.Outcomes, b.next.Sends = slices.Clone(stored.Outcomes), slices.Clone(stored.Sends)
	s.part.of.room.cutOutcomes(b.next.Outcomes)
	s.recorded = b.next.size()
	return b
}

// encodeFor returns what a write has as the unit's record: of a unit that machines share without
// what addLogged adds, and nil if the unit has no state, and no run has made one.
func (c *cell) encodeFor(b *batch, state any) ([]byte, error) {
	switch {
	case b.logged == nil:
		return c.encode(state)
	case !c.logged.stored.Load().state && !slices.ContainsFunc(b.runs, (*run).changes):
		return nil, nil
	}
	return c.encode(state)
}

// changesRecord reports whether the unit's record is to be written for a run.
func (r *run) changesRecord() bool { return r.changes() || r.logged != nil && r.of != nil }

// addLogged has the write hold what a run has told, and that it has run.
func (b *batch) addLogged(n *Node, r *run) {
	l, d := r.logged, r.of
	l.sends, l.outcome = nil, nil
	refused := n.shared.room.cut(r.refused)
	for i := range r.tells {
		b.sendTold(n, r, i)
	}
	if r.hasIdentity() && r.refused == nil && !l.replayed {
		b.writes = append(b.writes, r.outcome()...)
		b.expires = r.cell.kind.onceFor
	}
	switch {
	case d == nil:
		if r.changes() && b.logged.next.Write == "" {
			b.logged.next.Write = fmt.Sprint(n.shared.engine.Name(), "/", n.shared.named.Add(1))
		}
		return
	case refused != nil:
		outcome, sends, beside := d.refusal(refused)
		l.outcome, l.sends, b.writes = outcome, append(l.sends, sends...), append(b.writes, beside...)
	case d.wantsOutcome():
		l.outcome = encodeResult(r.kept.encoded, r.kept.err)
	case d.isQuestion():
		l.sends = append(l.sends, n.sendOf(d.answer(r.kept.encoded, r.kept.err)))
	}
	r.cell.logged.recorded += r.size()
	b.logged.next.Ran(d.number, d.logged.command, l.outcome, l.sends)
}

// sendTold has the write hold what a run has told, one of several. What this program has no
// operation for is recorded as failed.
func (b *batch) sendTold(n *Node, r *run, i int) {
	t := &r.tells[i]
	if t.op != nil {
		r.logged.sends = append(r.logged.sends, n.sendOf(t))
		return
	}
	d := &delivery{tell: *t, number: r.of.number}
	b.writes = append(b.writes, d.failureIn(i+1, fmt.Errorf("cluster: this program has no operation %s for kind %s", t.Operation, t.Kind)))
}

// failureIn returns the entry of a failure of a command of a log.
func (d *delivery) failureIn(i int, why error) engine.Write {
	w := d.failure(why)
	w.Key = layout.Numbered(layout.Failure, d.number*layout.MostFailures+uint64(min(i, layout.MostFailures-1)))
	return w
}

// sendOf returns a message as a record has it.
func (n *Node) sendOf(t *tell) partition.Send {
	unit := layout.Records(t.Kind) + t.Key
	c := layout.Command{Operation: t.Operation, Arg: t.Arg, Reply: t.Reply, Units: t.Units, Values: t.Values}
	return partition.Send{To: n.shared.partOf(unit).p, Unit: unit, Body: c.Encode()}
}

// isOver reports whether the owner has ended for which a write was made.
func (b *batch) isOver() bool {
	return b.logged != nil && b.cell.logged.part.owner.Load() != b.logged.owner
}

// put begins a write, in the turn of the partition.
func (pt *part) put(b *batch) {
	e := &pt.of.node.ends
	e.underway.Add(1)
	pt.turn.Run(func() {
		if b.isOver() || !b.logged.owner.MayWrite() {
			e.ended(b, errOver)
			return
		}
		pt.complete(b)
		began := pt.turn.Now()
		pt.of.engine.Swap(pt.p, b.writes, b.logged.expected, func(revision uint64, err error) {
			pt.of.counts.ended(b.writes, pt.turn.Now().Sub(began), err)
			b.logged.next.revision = revision
			e.ended(b, err)
		})
	})
}

// complete has a write hold the unit's record. In the turn of the partition.
func (pt *part) complete(b *batch) {
	l, record, state := b.logged, b.writes[0], b.writes[0].Value
	l.owner.Trim(&l.next.Record)
	pt.hurries(l.owner, &l.next)
	l.next.state, l.next.length, l.next.Forgotten = state != nil, len(state), time.Time{}
	if state == nil {
		l.next.Forgotten = pt.turn.Now().UTC()
		b.writes = append(b.writes, engine.Write{
			Key:   layout.ExpiryOf(l.next.Forgotten.Add(partition.KeepForgotten), record.Key),
			Value: []byte{layout.Version},
		})
	}
	if b.wakes {
		l.next.wake = b.wake
	}
	b.writes[0].Value = append(l.next.append(nil), state...)
}

// wroteLogged notes that a write is done, and tells the owner and the senders.
func (c *cell) wroteLogged(b *batch) {
	c.logged.stored.Store(&b.logged.next)
	pt := c.logged.part
	pt.turn.Run(func() {
		for _, r := range b.runs {
			r.isDone()
		}
	})
}

// isDone tells the owner, and the sender, that a delivery has had its effect. The turn of its
// partition.
func (r *run) isDone() {
	if d := r.of; d != nil {
		d.logged.part.hopeless.Delete(d.logged.command.Unit)
		d.isDone(r.logged.outcome, r.logged.sends)
	}
}

// isDone tells the owner, and the sender, that a delivery is done, with what it has sent.
func (d *delivery) isDone(outcome []byte, sends []partition.Send) {
	d.leaves()
	d.logged.owner.Done(d.number, sends)
	d.logged.part.of.machine.Answer(d.logged.owner, d.logged.command, outcome)
}

// unwritten is the end of a write that was not made, or of which that is not known: what it has
// runs again, on the record that is there.
func (c *cell) unwritten(b *batch) {
	list, err := b.runs, b.err
	p := c.phase.Swap(failed)
	releaseAll(b.readers, errUndone)
	if p == finishing {
		last := c.withRare().last
		c.withRare().last = nil
		releaseAll(last.readers, errUndone)
		list = append(slices.Clip(list), last.runs...)
	}
	if errors.Is(err, engine.ErrUncertain) {
		for _, r := range b.runs {
			if q := r.logged.asked; q != nil {
				q.write, q.base = b.logged.next.Write, b.logged.expected
			}
		}
	}
	c.loadNow()
	runsAgain := func() { c.runsAgain(list, err) }
	if runsAgainAtOnce(err) || errors.Is(err, engine.ErrClosed) || c.logged.part.of.isEnding() {
		runsAgain()
	} else { // without room, for example
		c.kind.node.after(mostPause/10, runsAgain)
	}
}

// runsAgain has what was in a write run again, unless the node ends, which has no better times.
func (c *cell) runsAgain(list []*run, err error) {
	if errors.Is(err, engine.ErrClosed) || !runsAgainAtOnce(err) && c.logged.part.of.isEnding() {
		c.unit.Run(func(*freerun.Context, any) { c.lose(append(list, c.takePending()...), err) }, c.abandon)
		return
	}
	began := false
	c.unit.Run(func(*freerun.Context, any) {
		began = true
		c.redo(list, err)
	}, func(err error) {
		if !began && !errors.Is(err, freerun.ErrClosed) {
			c.lose(append(list, c.takePending()...), err)
		}
	})
}

// runsAgainAtOnce reports whether what was in a write runs again at once: it has failed since
// another machine was there, or may have been made.
func runsAgainAtOnce(err error) bool {
	return errors.Is(err, engine.ErrConflict) || errors.Is(err, engine.ErrUncertain) || errors.Is(err, errOver)
}

// redo is the unit's turn after a write that was not made, or of which that is not known.
func (c *cell) redo(list []*run, err error) {
	list = append(list, c.takePending()...)
	known := !errors.Is(err, engine.ErrConflict) && !errors.Is(err, engine.ErrUncertain)
	for _, r := range list {
		if known && r.logged.asked != nil { // a request does not wait for better times
			r.release(err)
		} else {
			c.isPending(r)
		}
	}
	c.phase.Store(broken)
	c.reload()
}
