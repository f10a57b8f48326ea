package cluster

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/internal/route"
)

// Sketch:     units of one tag are in one partition. So an operation on several of them is one
//             command of its log, with the names of all. The owner delivers it to all at once, and
//             it runs as on one machine (several.go)
//             the write is made only if each record is still the one that its unit has loaded. All
//             of them are as far in the log as the command then; that of the first has the outcome,
//             and what the operation has told
//             the write was not made, or that is not known: the units load their states, and the
//             operation runs again, unless they have it. So it is with a refusal, which is written
//             with the states that were loaded
//             a server that was alone, and without room, may have made the write by half: the
//             operation waits until whoever wrote it has completed that
// Invariants: P3 The records of all its units have a command, or none has.
//             P4 It runs when all its units are as far in the log as it is: H2 for each of them.
// Checked by: of package clustertest TestMachinesVaults, TestMachinesHalf; of package jet
//             TestMachines, TestChaos

// mostSeveral is how many units an operation may be on that machines share: JetStream takes a
// thousand messages together.
const mostSeveral = 256

// severalNames are the operations on several units, by their full names, and by those in the log.
type severalNames struct {
	named  map[string]*operation
	stored map[severalName]*operation
}

// severalName is the name of an operation on several units in the log. of is the kind of the first:
// other packages may have operations of that name, for other kinds.
type severalName struct {
	of    *kind
	given string
}

// nameSeveral finds the operations on several units. The error says that two have one name.
func (n *Node) nameSeveral(kinds, operations []route.Declared) (s severalNames, err error) {
	s = severalNames{map[string]*operation{}, map[severalName]*operation{}}
	first := map[reflect.Type][]*kind{}
	for _, d := range kinds {
		if store, ours := d.Store.(durable); ours && store.of.tagged {
			first[d.State] = append(first[d.State], n.kinds[d.Name])
		}
	}
	for _, d := range operations {
		if d.Form != route.Several || len(first[d.State]) == 0 {
			continue
		}
		o := newOperation(d, nil)
		s.named[o.name] = o
		for _, k := range first[d.State] {
			name := severalName{k, o.given}
			if other := s.stored[name]; other != nil {
				return s, fmt.Errorf("cluster: two operations on several units of kind %s have the name %s in the log, %s and %s; rename one", k.given, o.given, other.name, o.name)
			}
			s.stored[name] = o
		}
	}
	return s, nil
}

// sendSeveral has a message to several units go to the log of their partition.
func (s *shared) sendSeveral(m route.Message, op *route.Operation) error {
	units := m.Units()
	if err := ofOneTag(op.Name, units); err != nil {
		return err
	}
	o := s.several.named[op.Name]
	switch {
	case o == nil:
		return fmt.Errorf("%w: operation %s was declared after cluster.Join", ErrNotDurable, shorten(op.Name))
	case len(units) > mostSeveral:
		return fmt.Errorf("%w: %s is on %d units, and may be on %d that machines share", ErrNotDurable, shorten(op.Name), len(units), mostSeveral)
	case o.refused != nil:
		return fmt.Errorf("%w: the argument of %s: %w", ErrNotDurable, shorten(op.Name), o.refused)
	case m.Context().Value(onceKey{}) != nil:
		return errOnceOfSeveral(op.Name)
	}
	c, size := layout.Command{Operation: o.given, Deadline: engine.DeadlineOf(m.Context()), Values: s.node.carriedBy(m.Context(), m.Senders(), true)}, 0
	for _, u := range units {
		k, err := s.node.kindNamed(u.Kind)
		if err != nil {
			return err
		}
		unit, err := k.recordKey(u.Key)
		if err != nil {
			return err
		}
		c.Units, size = append(c.Units, string(unit)), size+len(unit)
	}
	var err error
	if c.Arg, err = o.arg.append(nil, m.Arg()); err != nil {
		return fmt.Errorf("cluster: the argument of %s: %w", shorten(op.Name), err)
	}
	if !m.Told() {
		err = o.keepsResult()
	}
	if err == nil {
		err = mayHave("the argument of "+shorten(op.Name)+", with the names of its units,", size+len(c.Arg), s.room.Argument)
	}
	if err == nil {
		s.log(m, o, c.Units[0], c.Encode())
	}
	return err
}

// placesOf returns the units of an operation on several; nil for one on one.
func (s *shared) placesOf(t *tell) (places []route.Place, err error) {
	for _, name := range t.Units {
		k, key, err := s.unitOf(name)
		if err != nil {
			return nil, err
		}
		places = append(places, k.place(key))
	}
	return places, nil
}

// namedSeveral is the method named of a node, for an operation on several units.
func (s *shared) namedSeveral(t *layout.Tell) (*kind, *operation, error) {
	k, _, err := s.unitOf(t.Units[0])
	if err != nil {
		return nil, nil, err
	}
	o := s.several.stored[severalName{k, t.Operation}]
	if o == nil {
		return nil, nil, fmt.Errorf("cluster: the store has a message to kind %s with operation %s on several units, which this program does not have", t.Kind, t.Operation)
	}
	return k, o, nil
}

// isLogged notes that an operation comes from a log, and reports whether it does: not if the node
// has just been closed.
func (s *several) isLogged(i *freerun.Invocation) bool {
	d, ours := seam.Mark(i).(*delivery)
	if !ours {
		s.run.release(ErrClosed)
		return false
	}
	s.run.of, s.run.logged = d, &loggedRun{}
	if d.wantsOutcome() {
		s.run.kept = &kept{op: d.op, result: i.Result()}
	}
	return true
}

// isSettled reports whether the operation, which is about to run, has its outcome without that: its
// owner has ended, it was done before, or by half, it is too early, there is no room for what it
// adds to the record of the first unit, or it is refused or late. It runs again later if a state
// was loaded for another owner. In the turn of all.
func (s *several) isSettled(states []any) bool {
	d, first, half := s.run.of, s.cells[0].logged, s.isHalf()
	stale, early := half && d.logged.outrun.Swap(false), half
	for n, c := range s.cells {
		stale, early = stale || c.isStale() || d.reloads(c, n), early || d.isEarly(c, n)
	}
	switch {
	case d.isOver():
		s.fail(errOver)
	case stale:
		s.runsAgain()
	case !half && first.stored.Load().Has(d.number):
		d.done = true
		first.part.hadRun(d, first.stored.Load())
		s.ends(nil)
	case early:
		s.fail(errEarly)
	case s.cells[0].isFull():
		s.fail(errFull)
	case s.run.isLate(), s.run.refused != nil:
		if err := s.writeLogged(states); err != nil {
			s.undone(err)
		}
	default:
		return false
	}
	return true
}

// isHalf reports whether the first unit has the operation, and another one has not: a server has
// made the write by half, or a unit was loaded before the rest was made.
func (s *several) isHalf() bool {
	number := s.run.of.number
	has := func(c *cell) bool { return c.logged.stored.Load().Has(number) }
	return has(s.cells[0]) && slices.ContainsFunc(s.cells, func(c *cell) bool { return !has(c) })
}

// writeLogged is write for units that machines share.
func (s *several) writeLogged(states []any) error {
	var batches []*batch
	for n, c := range s.cells {
		b := &batch{cell: c, runs: []*run{&s.run}, logged: c.logged.nextRecord()}
		record, err := c.encodeFor(b, states[n])
		if err != nil {
			return err
		}
		b.writes = append(b.writes, engine.Write{Key: c.key, Value: record})
		batches = append(batches, b)
	}
	number := s.run.of.number
	for n, b := range batches {
		if n == 0 {
			b.addLogged(b.cell.kind.node, &s.run)
		}
		b.logged.next.Last = number
		b.cell.logged.ran = max(b.cell.logged.ran, number)
	}
	pt := s.cells[0].logged.part
	pt.turn.Run(func() { pt.putAll(s, batches) })
	return nil
}

// putAll begins the write of an operation on several units. In the turn of the partition.
func (pt *part) putAll(s *several, batches []*batch) {
	first := batches[0]
	if first.isOver() || !first.logged.owner.MayWrite() {
		s.unwritten(errOver)
		return
	}
	pt.swapAll(batches, func(writes []engine.Write, revision uint64, err error) {
		if err != nil {
			s.unwritten(err)
			return
		}
		for n, b := range batches {
			b.logged.next.revision = revision + uint64(n)
			b.cell.logged.stored.Store(&b.logged.next)
		}
		s.wroteLogged(writes)
	})
}

// swapAll begins the write of the records of several units, and of what is stored beside them. done
// is told the revision of the first. In the turn of the partition.
func (pt *part) swapAll(batches []*batch, done func(writes []engine.Write, revision uint64, err error)) {
	var records, beside []engine.Write
	var revisions []uint64
	for _, b := range batches {
		pt.complete(b)
		records, beside = append(records, b.writes[0]), append(beside, b.writes[1:]...)
		revisions = append(revisions, b.logged.expected)
	}
	writes, began := append(records, beside...), pt.turn.Now()
	pt.of.engine.SwapAll(pt.p, writes, revisions, func(revision uint64, err error) {
		pt.of.counts.ended(writes, pt.turn.Now().Sub(began), err)
		done(writes, revision, err)
	})
}

// wroteLogged is the end of the write that is done.
func (s *several) wroteLogged(writes []engine.Write) {
	d := s.run.of
	d.done = true
	d.logged.part.turn.Run(s.run.isDone)
	d.logged.part.of.node.outbox.counts.stored(writes)
	s.ends(s.run.refused)
}

// unwritten is the end of a write that was not made, or of which that is not known: the operation
// runs again, on the records that are there.
func (s *several) unwritten(err error) {
	of := s.run.of.logged.part.of
	switch {
	case errors.Is(err, engine.ErrClosed), !runsAgainAtOnce(err) && of.isEnding():
		s.undone(err)
	case runsAgainAtOnce(err):
		s.runsAgain()
	default: // without room, for example
		of.node.after(mostPause/10, func() {
			if of.isEnding() {
				s.undone(err)
			} else {
				s.runsAgain()
			}
		})
	}
}

// refuseSeveral is refuse for an operation on several units.
func (s *shared) refuseSeveral(d *delivery) {
	var units []route.Unit[*freerun.Context]
	for _, p := range d.places {
		u, err := seam.Find(s.node.rt, p.Kind, p.Key)
		if err != nil {
			s.fails(d.logged.owner, err)
			return
		}
		units = append(units, u)
	}
	began := false
	seam.RunAll(units, func(_ *freerun.Context, states []any) {
		began = true
		o := newSeveral(units)
		o.run.of, o.run.logged, o.run.refused = d, &loggedRun{}, d.logged.refused
		o.run.own = func(err error) { s.node.outbox.ended(d, err) }
		if o.claims(states) {
			o.isSettled(states)
		}
	}, func(err error) {
		if !began {
			s.node.outbox.ended(d, err) // a state cannot be loaded
		}
	})
}
