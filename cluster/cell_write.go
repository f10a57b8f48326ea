package cluster

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// The writes of a unit, and what follows from their ends: the steps of the sketch in cell.go.

// batch is one write.
type batch struct {
	cell    *cell
	runs    []*run
	few     [4]*run // of most the memory of runs
	readers *run
	writes  []engine.Write
	record  [1]engine.Write // the first of writes, and of most the only one
	sends   []*delivery
	// wakes: the write has a new time when the unit is to be woken, wake (W2).
	wakes bool
	wake  time.Time
	// expires is when an outcome that the write has is to be forgotten; 0 for none.
	expires time.Duration
	logged  *loggedBatch // nil unless machines share the unit

	// Once it has ended:
	err  error
	next *batch // in a list
}

// write begins the write of what is pending. In the unit's turn; no other one is under way.
func (c *cell) write(state any) {
	b, err := c.gather(state)
	if err != nil {
		c.unwritable()
		return
	}
	c.put(b)
}

// put begins a write.
func (c *cell) put(b *batch) { c.putAs(writing, b) }

// putAs begins a write, in a phase.
func (c *cell) putAs(phase uint32, b *batch) {
	c.phase.Store(phase)
	switch {
	case len(b.writes) == 0:
		c.wrote(nil, b)
	case b.logged != nil:
		c.logged.part.put(b)
	default:
		c.kind.node.ends.begins(b)
	}
}

// encode returns the unit's record.
func (c *cell) encode(state any) ([]byte, error) {
	var list []timer
	if t := c.timersOf(); t != nil {
		list = t.list
	}
	record, err := c.kind.encode(state, list)
	if err == nil && c.logged != nil {
		err = c.logged.mayHave(c, record)
	}
	return record, err
}

// gather makes the next write of what is pending.
func (c *cell) gather(state any) (*batch, error) {
	b := &batch{cell: c}
	b.runs = c.takePendingInto(b.few[:0])
	if c.logged != nil {
		b.logged = c.logged.nextRecord()
	}
	if slices.ContainsFunc(b.runs, (*run).changesRecord) {
		record, err := c.encodeFor(b, state)
		if err != nil {
			c.arePending(b.runs)
			return nil, err
		}
		b.writes = append(b.record[:0], engine.Write{Key: c.key, Value: record})
		c.addWake(b)
	} else if t := c.timersOf(); t != nil && t.moves && c.logged == nil {
		c.addWake(b)
	}
	b.readers = c.readers.Swap(nil)
	for _, r := range b.runs {
		b.add(c.kind.node, r)
	}
	return b, nil
}

// add has the write hold what a run has told, and that it was told itself.
func (b *batch) add(n *Node, r *run) {
	if b.logged != nil {
		b.addLogged(n, r)
		return
	}
	for i := range r.tells {
		b.tell(n, &r.tells[i], r.of)
	}
	if r.hasIdentity() && r.refused == nil {
		b.writes = append(b.writes, r.outcome()...)
		b.expires = r.cell.kind.onceFor
	}
	if r.of == nil {
		return
	}
	if r.refused != nil {
		writes, answers := n.outbox.ending(r.of, r.refused)
		b.writes, b.sends = append(b.writes, writes...), append(b.sends, answers...)
		return
	}
	b.writes = append(b.writes, r.of.removal()...)
	if r.of.isQuestion() {
		b.tell(n, r.of.answer(r.kept.encoded, r.kept.err), r.of)
	}
}

// tell has the write hold a message that by has told, a delivery or nil for others. One that this
// program has no operation for is recorded as failed.
func (b *batch) tell(n *Node, t *tell, by *delivery) {
	d := n.outbox.number(t)
	d.inARow = n.inARow(by)
	if t.op == nil {
		b.writes = append(b.writes, d.failure(fmt.Errorf("cluster: this program has no operation %s for kind %s", t.Operation, t.Kind)))
		return
	}
	b.sends = append(b.sends, d)
	b.writes = append(b.writes, d.stored())
}

// wrote is the end of a write (ends.go): in the operation of ctx or, if that is nil, on a goroutine
// of the store.
func (c *cell) wrote(ctx *freerun.Context, b *batch) {
	switch err := b.err; {
	case b.logged != nil && len(b.writes) > 0 && err != nil:
		c.unwritten(b)
		return
	case err != nil:
		err = fmt.Errorf("cluster: the state of unit %v of kind %s could not be stored, and what was to change it %s: %w", c.unit.Key(), shorten(c.kind.name), effectOf(err), err)
		p := c.phase.Swap(failed) // before an outcome is known
		b.fail(err)
		if p == finishing {
			c.withRare().last.fail(err)
			c.withRare().last = nil
		}
		c.loadNow()
		c.unit.Run(func(ctx *freerun.Context, _ any) { c.undo(err) }, c.abandon)
		return
	}
	for _, r := range b.runs {
		if r.of != nil {
			r.of.done = true
		}
	}
	if b.logged != nil && len(b.writes) > 0 {
		c.wroteLogged(b)
	}
	c.kind.node.outbox.counts.stored(b.writes)
	if b.wakes && !b.isOver() {
		c.kind.node.wakes.set(c.kind, string(c.key), b.wake)
	}
	if b.expires > 0 && b.logged == nil { // the owner of a partition looks for them
		c.kind.node.sweepAfter(max(b.expires, leastSweep))
	}
	c.kind.node.outbox.send(b.sends)
	for _, r := range b.runs {
		r.releaseIn(ctx, r.refused)
	}
	releaseAll(b.readers, nil)
	c.wentOn(ctx)
}

// effectOf says what a write that has failed with err has changed.
func effectOf(err error) string {
	if errors.Is(err, ErrStopped) {
		return "has no effect in this process, and may have one in the next"
	}
	return "had no effect"
}

// wentOn goes on after a write that is done, in the operation of ctx unless that is nil.
func (c *cell) wentOn(ctx *freerun.Context) {
	for {
		switch p := c.phase.Load(); p {
		case writing:
			readers := c.readers.Swap(nil) // before the unit can begin another write
			if c.phase.CompareAndSwap(writing, idle) {
				releaseAll(readers, nil)
				if c.readers.Load() != nil {
					c.unit.RunTurn(ctx, (*lateReads)(c))
				}
				c.loadNow()
				return
			}
			c.pushBack(readers)
		case more:
			if c.phase.CompareAndSwap(more, ready) {
				c.unit.RunTurn(ctx, (*nextWrite)(c))
				return
			}
		case finishing:
			last := c.withRare().last
			c.withRare().last = nil
			c.put(last)
			return
		case parting: // it stays so, for nothing else changes it
			c.unit.Run(c.partNext, c.abandon)
			return
		case claimed: // as parting
			c.unit.Run(c.claimNext, c.abandon)
			return
		case breaking, forgetting:
			if c.phase.CompareAndSwap(p, broken) {
				c.tellReload()
				return
			}
		default:
			panic(fmt.Sprintf("cluster: a write is done in phase %d", p))
		}
	}
}

// nextWrite is the turn of a cell in which it begins the write of what has run during the last one.
type nextWrite cell

// Run implements [route.Turn].
func (n *nextWrite) Run(_ *freerun.Context, state any) {
	if c := (*cell)(n); c.phase.Load() == ready {
		c.write(state)
	}
}

// Failed implements [route.Turn].
func (n *nextWrite) Failed(err error) { (*cell)(n).abandon(err) }

// pushBack puts reads back that have seen what is not written yet.
func (c *cell) pushBack(list *run) {
	for r := list; r != nil; {
		next := r.next
		push(&c.readers, r)
		r = next
	}
}

// lateReads is the turn of a cell for reads that came just before a write ended. What they have
// seen is written if nothing else has run since; otherwise they go with the next write.
type lateReads cell

// Run implements [route.Turn].
func (l *lateReads) Run(*freerun.Context, any) {
	if c := (*cell)(l); c.phase.Load() == idle {
		releaseAll(c.readers.Swap(nil), nil)
	}
}

// Failed implements [route.Turn].
func (l *lateReads) Failed(err error) { (*cell)(l).abandon(err) }

// leave has the unit, which is to become passive, write what is pending. It reports whether the
// state may go.
func (c *cell) leave(state any) bool {
	if c.isLookingUp() {
		return false
	}
	for {
		switch p := c.phase.Load(); p {
		case idle, writing:
			return true
		case more, ready:
			b, err := c.gather(state)
			if err != nil {
				c.unwritable()
				return false
			}
			if p == more {
				c.withRare().last = b
				if c.phase.CompareAndSwap(more, finishing) {
					return true
				}
				c.withRare().last = nil // the write has just ended
				if c.isBroken() {
					c.arePending(b.runs)
					releaseAll(b.readers, errUndone)
					return false
				}
			}
			c.put(b)
			return true
		default:
			return false // it loads its state again
		}
	}
}

// fail fails all that a write holds.
func (b *batch) fail(err error) {
	for _, r := range b.runs {
		r.release(err)
	}
	releaseAll(b.readers, err)
}
