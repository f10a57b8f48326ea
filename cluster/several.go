package cluster

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/internal/route"
)

// Source:     our own
// Sketch:     an operation on several units comes to all of them at once, and claims each: what
//             comes to the unit from then on is put behind it (cell_again.go)
//             claimed:  what has run before is written. A unit that was claimed or asks before puts
//                       the operation behind, too, and is claimed in its turn; one whose write
//                       fails loads its state, and then comes to the operation again
//             sharing:  nothing is pending, and no write is under way. Once all units are so, the
//                       operation runs, in a turn of all, and one write has their records, and what
//                       the operation has told
//             the write is done: the outcome is given free, and the units go on, each with what was
//                       put behind. If it has failed, or the operation is refused, the outcome
//                       fails, and the units load their states
//             it panics: the units drop their states, and it runs again, in a turn of all, for
//                       which they load them
// Invariants: V1 While a unit shares, nothing but the operation changes its state, and none reads
//             it.
//             V2 The store has the operation's effect on all units, or on none.
//             V3 An operation waits only for those that have come to its units before it. They
//             come to units that they have in common in one order: so none waits in a circle.
//             V4 It fails before it has run only if a unit is not sharing.
// Checked by: TestSeveral…; of package clustertest TestSeveral…, TestVaults

// several is an operation on several units that is under way.
type several struct {
	run     run // its outcome, and what it tells
	cells   []*cell
	missing atomic.Int32 // cells that do not share yet; and one more while it comes to them
	over    atomic.Bool  // it has failed before it has run
}

// newSeveral makes an operation on units that have come to it.
func newSeveral(units []route.Unit[*freerun.Context]) *several {
	s := &several{}
	for _, u := range units {
		s.cells = append(s.cells, u.Local().(*cell))
	}
	s.run = run{cell: s.cells[0], several: s}
	return s
}

// takeSeveral runs an operation on several units.
func takeSeveral(ctx *freerun.Context, i *freerun.Invocation) error {
	if seam.Running(ctx) != nil { // the kind of another of its units has it
		return i.Next(ctx)
	}
	s := newSeveral(seam.Units(i))
	s.run.held = seam.Hold(i)
	s.run.held.Set(&s.run)
	if s.cells[0].logged != nil {
		if !s.isLogged(i) {
			return nil
		}
	} else if _, once := seam.Carried(ctx, onceKey{}); once {
		s.run.release(errOnceOfSeveral(i.Operation))
		return nil
	}
	states := seam.States(i)
	if !s.claims(states) {
		return nil
	}
	return s.runs(states, func() error { return i.Next(ctx) })
}

func errOnceOfSeveral(operation string) error {
	return fmt.Errorf("%w: %s is an operation on several units, and Once is for those on one", ErrNotDurable, shorten(operation))
}

// claims has the units be those of the operation, each in its turn, and reports whether all are. In
// the turn of all.
func (s *several) claims(states []any) bool {
	s.missing.Store(int32(len(s.cells)) + 1)
	for n, c := range s.cells {
		switch {
		case c.isBroken(), c.isLookingUp(), c.hasBehind():
			c.comesBehind(s.behind(c))
		default:
			c.claimFor(s, states[n])
		}
	}
	return s.missing.Add(-1) == 0
}

// behind stands for the operation in what was put behind.
func (s *several) behind(c *cell) *run { return &run{cell: c, own: s.fail, several: s} }

// claimFor has the unit be the operation's. In the unit's turn.
func (c *cell) claimFor(s *several, state any) {
	c.withRare().shared = s
	for {
		switch p := c.phase.Load(); p {
		case writing, more:
			if c.phase.CompareAndSwap(p, claimed) {
				return // to its end
			}
		case idle, ready, broken:
			c.phase.Store(claimed)
			c.claim(state)
			return
		default: // failed: the unit is told already, and comes to the operation again
			return
		}
	}
}

// claimNext is claim, after a write that is done.
func (c *cell) claimNext(_ *freerun.Context, state any) {
	if c.phase.Load() == claimed {
		c.claim(state)
	}
}

// claim writes what is pending, or has the unit share. In the unit's turn; no write is under way.
func (c *cell) claim(state any) {
	if c.pending != nil || c.readers.Load() != nil {
		b, err := c.gather(state)
		if err != nil {
			c.unwritable()
			return
		}
		c.putAs(claimed, b)
		return
	}
	s := c.withRare().shared
	c.phase.Store(sharing)
	if s.over.Load() {
		c.letGoOf(s)
	} else {
		s.comes()
	}
}

// sharedBy returns the operation that has claimed the unit, nil for none. In the unit's turn.
func (c *cell) sharedBy() *several {
	if rare := c.rare.Load(); rare != nil {
		return rare.shared
	}
	return nil
}

// comes counts a unit that is ready. The last one has the operation run, in a turn of all.
func (s *several) comes() {
	if s.missing.Add(-1) > 0 {
		return
	}
	units := make([]route.Unit[*freerun.Context], len(s.cells))
	for n, c := range s.cells {
		units[n] = c.unit
	}
	began := false
	seam.RunAll(units, func(ctx *freerun.Context, states []any) {
		began = true
		_ = s.runs(states, func() error { return seam.Again(ctx, s.run.held) })
	}, func(err error) {
		if !began { // otherwise it has ended the goroutine
			s.lose(err)
		}
	})
}

// runs runs the operation, on units that share, and returns its error. In the turn of all.
func (s *several) runs(states []any, fn func() error) error {
	if s.run.logged != nil && s.isSettled(states) {
		return nil
	}
	over := false
	defer func() {
		if !over { // runtime.Goexit
			s.undone(fmt.Errorf("cluster: %w", freerun.ErrGoexit))
		}
	}()
	err, done := s.cells[0].try(&s.run, fn)
	over = true
	if !done && s.run.refused == nil {
		s.runsAgain()
		return nil
	}
	if done {
		if why := s.write(states); why != nil {
			s.run.refuse(why)
		}
	}
	switch {
	case s.run.refused == nil:
	case s.run.logged != nil: // its record has that, once the states are loaded
		s.runsAgain()
	default:
		s.undone(s.run.refused)
	}
	return err
}

// runsAgain has the units drop their states, and then the operation run again.
func (s *several) runsAgain() {
	s.missing.Store(int32(len(s.cells)))
	for _, c := range s.cells {
		dropped := false
		c.unit.Run(func(*freerun.Context, any) {
			dropped = true
			s.comes() // for a turn that comes after this one
			c.unit.Drop()
		}, func(err error) {
			if !dropped {
				s.lose(err)
			}
		})
	}
}

// write begins the write of all records. The error says that a state cannot be encoded.
func (s *several) write(states []any) error {
	if s.run.logged != nil {
		return s.writeLogged(states)
	}
	n, b := s.cells[0].kind.node, &batch{runs: []*run{&s.run}}
	for at, c := range s.cells {
		record, err := c.encode(states[at])
		if err != nil {
			return err
		}
		b.writes = append(b.writes, engine.Write{Key: c.key, Value: record})
	}
	b.add(n, &s.run)
	n.engine.Put(b.writes, func(err error) { s.wrote(b, err) })
	return nil
}

// wrote is the end of the write. It comes on a goroutine of the store.
func (s *several) wrote(b *batch, err error) {
	if err != nil {
		s.undone(fmt.Errorf("cluster: the states of %d units could not be stored, and what was to change them %s: %w", len(s.cells), effectOf(err), err))
		return
	}
	o := &s.cells[0].kind.node.outbox
	o.counts.stored(b.writes)
	o.send(b.sends)
	s.ends(nil)
}

// ends gives the outcome free, and has the units go on.
func (s *several) ends(err error) {
	s.run.release(err)
	for _, c := range s.cells {
		c.letGoOf(s)
	}
}

// undone ends an operation with an error that has changed the states of its units.
func (s *several) undone(err error) {
	for _, c := range s.cells {
		c.withRare().shared = nil
		c.phase.Store(broken) // before the outcome is known
	}
	s.run.release(err)
	for _, c := range s.cells {
		c.tellReload()
	}
}

// lose ends an operation whose units have not all a state, or with the runtime: then all outcomes
// are given up.
func (s *several) lose(err error) {
	if !errors.Is(err, freerun.ErrClosed) && s.over.CompareAndSwap(false, true) {
		s.undone(err)
	}
}

// fail ends an operation that has not run, and cannot: a unit has no state (V4).
func (s *several) fail(err error) {
	if s.over.CompareAndSwap(false, true) {
		s.ends(err)
	}
}

// letGoOf has the unit go on after an operation, if it shares: in its turn, or what comes now would
// overtake what was put behind.
func (c *cell) letGoOf(s *several) {
	began := false
	c.unit.Run(func(ctx *freerun.Context, state any) {
		began = true
		if c.phase.Load() == sharing && c.sharedBy() == s {
			c.withRare().shared = nil
			c.phase.Store(idle)
			c.again(ctx, state, nil)
		}
	}, func(err error) {
		if !began { // otherwise an operation has ended the goroutine, and the others run again
			c.abandon(err)
		}
	})
}
