package cluster

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/internal/route"
)

// Source:     our own; that an outcome waits for the write is the output gate of Cloudflare's
//             Durable Objects
// Sketch:     an operation runs: its outcome is kept back, and it is pending
//             idle:     the state is encoded, and put into the store with all that is pending and
//                       what that has told. That is one write, and the phase is writing
//             writing:  what runs meanwhile is pending, and the phase is more
//             the write is done: its outcomes are given free, and what was told is delivered. From
//                       writing the phase is idle again; from more it is ready, and the unit
//                       begins the next write in its turn
//             the write has failed: its outcomes fail, and the phase is failed. In its turn the
//                       unit fails what is pending, and loads its state again (cell_again.go)
// Invariants: I1 One write of a unit is under way, or none. So the store has the effects of all
//             operations up to one, in their order, and of no others.
//             I2 No outcome is known before the write that has its effect is done.
//             I3 Only the unit's turn changes pending and begins a write. The end of a write, which
//             comes on a goroutine of the store, changes the phase alone.
//             I4 A batch belongs to the write.
// Publish:    pending is written before the phase, and read in the unit's turn
// Checked by: TestDurable…

// cell is a durable unit that is active, or was: what it has beside its state.
type cell struct {
	unit  route.Unit[*freerun.Context]
	kind  *kind
	key   []byte // of the unit's record
	phase atomic.Uint32
	// pending has run, and is in no write, the last one first. The unit's turn.
	pending *run
	// readers has read what is not written, the last one first.
	readers atomic.Pointer[run]
	rare    atomic.Pointer[rareCell] // nil for most
}

// rareCell holds the fields that a cell needs while it does more than to write.
type rareCell struct {
	// behind has come since the state was found to be broken, the last one first.
	behind atomic.Pointer[run]
	// last is the write of a unit that has left with one under way.
	last  *batch
	loads atomic.Pointer[func()] // waits for the end of the write that is under way
	// careful: what runs again is encoded after each step, to find what cannot be.
	careful bool
}

// withRare returns the cell's rareCell, and makes it if there is none. Any goroutine.
func (c *cell) withRare() *rareCell {
	for {
		if r := c.rare.Load(); r != nil {
			return r
		}
		c.rare.CompareAndSwap(nil, new(rareCell))
	}
}

// The phases of a cell.
const (
	idle      uint32 = iota // what has run is written
	writing                 // a write is under way, and holds all that has run
	more                    // a write is under way, and more has run
	ready                   // the write is done, more has run, and the unit is told to write it
	finishing               // a write is under way, and last is to follow: the unit has left
	failed                  // a write has failed, and the unit is told to load its state
	broken                  // the state is not to be used; no write is under way
	breaking                // as broken, with a write under way
)

// run is an operation whose outcome is kept back.
type run struct {
	held  route.Held
	reads bool
	tells []tell
	of    *delivery // that it is; nil for most
	tries int       // how many times it has panicked
	// refused is the outcome of an operation that is not to run any more; nil for others.
	refused error
	next    *run // in a list
}

// changes reports whether the state may have changed by it.
func (r *run) changes() bool { return !r.reads && r.refused == nil }

// batch is one write.
type batch struct {
	runs    []*run
	readers *run
	writes  []engine.Write
	sends   []*delivery
}

// cellOf returns the cell of a unit that is to become active.
func cellOf(u route.Unit[*freerun.Context]) (*cell, error) {
	if c, ok := u.Local().(*cell); ok {
		return c, nil
	}
	k, err := kindOf(u)
	if err != nil {
		return nil, err
	}
	key, err := k.recordKey(u.Key())
	if err != nil {
		return nil, err
	}
	c := &cell{unit: u, kind: k, key: key}
	u.SetLocal(c)
	return c, nil
}

// isPending notes that r has run. The unit's turn.
func (c *cell) isPending(r *run) { r.next, c.pending = c.pending, r }

func (c *cell) arePending(list []*run) {
	for _, r := range list {
		c.isPending(r)
	}
}

// takePending takes what is pending, the first one first. The unit's turn.
func (c *cell) takePending() []*run {
	list := inOrder(c.pending)
	c.pending = nil
	return list
}

// idle reports whether all that has run is written.
func (c *cell) idle() bool { return c.phase.Load() == idle && c.readers.Load() == nil }

// isBroken reports whether the state is not to be used.
func (c *cell) isBroken() bool { return c.phase.Load() >= failed }

// take runs an operation.
func (c *cell) take(ctx *freerun.Context, i *freerun.Invocation) error {
	r := &run{held: seam.Hold(i)}
	r.held.Set(r)
	if d, ok := seam.Mark(i).(*delivery); ok {
		if c.kind.node.outbox.mustWait(d) {
			r.held.Release(errBehind)
			return nil
		}
		r.of = d
	}
	if c.isBroken() {
		c.comesBehind(r)
		return nil
	}
	over := false
	defer func() {
		if !over { // runtime.Goexit: its outcome is known, and what it has changed is undone
			c.breaks(c.takePending())
		}
	}()
	err, done := c.try(r, func() error { return i.Next(ctx) })
	over = true
	if !done {
		c.breaks(append(c.takePending(), r))
		return nil
	}
	c.isPending(r)
	c.settle(seam.State(i))
	return err
}

// settle begins the write of what has run, or leaves it to the end of the one under way.
func (c *cell) settle(state any) {
	for {
		switch c.phase.Load() {
		case idle:
			c.write(state)
			return
		case writing:
			if c.phase.CompareAndSwap(writing, more) {
				return
			}
		default: // more, ready, or a write has just failed
			return
		}
	}
}

// read runs an operation that only looks. Others may do so at the same time.
func (c *cell) read(ctx *freerun.Context, i *freerun.Invocation) error {
	if c.phase.Load() == idle {
		return i.Next(ctx)
	}
	r := &run{held: seam.Hold(i), reads: true}
	r.held.Set(r)
	if c.isBroken() {
		c.comesBehind(r)
		return nil
	}
	// Once it is in a list its outcome may be given free: that is known when this returns.
	err := i.Next(ctx)
	push(&c.readers, r)
	if c.phase.Load() == idle {
		releaseAll(c.readers.Swap(nil), nil)
	}
	return err
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
func (c *cell) put(b *batch) {
	c.phase.Store(writing)
	if len(b.writes) == 0 {
		c.wrote(b, nil)
		return
	}
	c.kind.node.engine.Put(b.writes, func(err error) { c.wrote(b, err) })
}

// gather makes the next write of what is pending.
func (c *cell) gather(state any) (*batch, error) {
	b := &batch{runs: c.takePending()}
	if slices.ContainsFunc(b.runs, (*run).changes) {
		record, err := c.kind.encode(state)
		if err != nil {
			c.arePending(b.runs)
			return nil, err
		}
		b.writes = append(b.writes, engine.Write{Key: c.key, Value: record})
	}
	b.readers = c.readers.Swap(nil)
	for _, r := range b.runs {
		b.add(c.kind.node, r)
	}
	return b, nil
}

// add has the write hold what a run has told, and that it was told itself.
func (b *batch) add(n *Node, r *run) {
	for i := range r.tells {
		d := n.outbox.number(&r.tells[i])
		b.sends = append(b.sends, d)
		b.writes = append(b.writes, engine.Write{Key: d.key, Value: d.entry})
	}
	if r.of != nil {
		b.writes = append(b.writes, r.of.removal()...)
		if r.refused != nil {
			b.writes = append(b.writes, r.of.failure(r.refused))
		}
	}
}

// wrote is the end of a write. It comes on a goroutine of the store.
func (c *cell) wrote(b *batch, err error) {
	if err != nil {
		err = fmt.Errorf("cluster: the state of unit %v of kind %s could not be stored, and what was to change it had no effect: %w", c.unit.Key(), shorten(c.kind.name), err)
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
	c.kind.node.outbox.counts.stored(b.writes)
	c.kind.node.outbox.send(b.sends)
	for _, r := range b.runs {
		r.held.Release(r.refused)
	}
	releaseAll(b.readers, nil)
	c.wentOn()
}

// wentOn goes on after a write that is done.
func (c *cell) wentOn() {
	for {
		switch p := c.phase.Load(); p {
		case writing:
			if c.phase.CompareAndSwap(writing, idle) {
				releaseAll(c.readers.Swap(nil), nil)
				c.loadNow()
				return
			}
		case more:
			if c.phase.CompareAndSwap(more, ready) {
				c.unit.Run(c.writeNext, c.abandon)
				return
			}
		case finishing:
			last := c.withRare().last
			c.withRare().last = nil
			c.put(last)
			return
		case breaking:
			if c.phase.CompareAndSwap(breaking, broken) {
				c.tellReload()
				return
			}
		default:
			panic(fmt.Sprintf("cluster: a write is done in phase %d", p))
		}
	}
}

// writeNext begins the write of what has run during the last one.
func (c *cell) writeNext(_ *freerun.Context, state any) {
	if c.phase.Load() == ready {
		c.write(state)
	}
}

// leave has the unit, which is to become passive, write what is pending. It reports whether the
// state may go.
func (c *cell) leave(state any) bool {
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
		r.held.Release(err)
	}
	releaseAll(b.readers, err)
}

// push puts r into a list.
func push(list *atomic.Pointer[run], r *run) {
	for {
		r.next = list.Load()
		if list.CompareAndSwap(r.next, r) {
			return
		}
	}
}

// releaseAll gives the outcomes of a list free, as err says.
func releaseAll(list *run, err error) {
	for r := list; r != nil; {
		next := r.next
		r.held.Release(err)
		r = next
	}
}
