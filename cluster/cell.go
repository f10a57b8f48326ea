package cluster

import (
	"fmt"
	"sync/atomic"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/route"
)

// Source:     our own; that an outcome waits for the write is the output gate of Cloudflare's
//             Durable Objects
// Sketch:     an operation runs: its outcome is kept back, and it is pending
//             idle:     the state is encoded, and put into the store with all that is pending and
//                       what that has told. That is one write, and the phase is writing. If more
//                       waits in the mailbox, the phase is ready, and that comes behind it
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
//             comes on another goroutine (ends.go), changes the phase alone.
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
	logged  *loggedCell              // nil unless machines share it
}

// rareCell holds the fields that a cell needs while it does more than to write.
type rareCell struct {
	// behind has come since the state was found to be broken, the last one first.
	behind atomic.Pointer[run]
	// last is the write of a unit that has left with one under way.
	last  *batch
	loads atomic.Pointer[func()] // waits for the end of the write that is under way
	// careful: what runs again is encoded after each step, to find what cannot be.
	careful    bool
	timers     *timers // nil without timers so far
	identities identities
	// shared has claimed the unit, or shares it. The unit's turn, and that operation's end.
	shared *several
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
	idle       uint32 = iota // what has run is written
	writing                  // a write is under way, and holds all that has run
	more                     // a write is under way, and more has run
	ready                    // the write is done, more has run, and the unit is told to write it
	finishing                // a write is under way, and last is to follow: the unit has left
	failed                   // a write has failed, and the unit is told to load its state
	broken                   // the state is not to be used; no write is under way
	breaking                 // as broken, with a write under way
	parting                  // a write is under way, and the unit is to be forgotten (forget.go)
	forgetting               // the write is under way with which the unit is forgotten
	claimed                  // an operation on several units waits for the writes (several.go)
	sharing                  // no write of its own is under way: the unit is that operation's
)

// run is an operation whose outcome is kept back.
type run struct {
	cell  *cell
	held  route.Held
	own   func(err error) // in place of held, for a step of the unit itself (cell_timers.go)
	kept  *kept           // nil for most
	reads bool
	// forgets: the unit is to lose its state with it.
	forgets bool
	tries   uint8     // how many times it has panicked
	id      *[16]byte // for ID; nil for most
	tells   []tell
	of      *delivery // that it is; nil for most
	several *several  // it is, or stands for, an operation on several units; nil for most
	// refused is the outcome of an operation that is not to run any more; nil for others.
	refused error
	logged  *loggedRun // nil unless machines share the unit
	next    *run       // in a list
}

// release makes the outcome known: err, or what the operation has returned if err is nil.
func (r *run) release(err error) { r.releaseIn(nil, err) }

// releaseIn is release in the operation of ctx, unless that is nil.
func (r *run) releaseIn(ctx *freerun.Context, err error) {
	if err == nil && r.logged != nil && r.logged.asked != nil {
		r.logged.asked.own = true
	}
	switch {
	case r.own != nil:
		r.own(err)
		return
	case ctx == nil:
		r.held.Release(err)
	default:
		seam.Release(ctx, r.held, err)
	}
	if r.hasIdentity() {
		r.settled(err)
	}
}

// changes reports whether the state may have changed by it.
func (r *run) changes() bool { return !r.reads && r.refused == nil && !r.isReplayed() }

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
	if s := k.node.shared; s != nil {
		c.logged = &loggedCell{part: s.partOf(string(key))}
	}
	u.SetLocal(c)
	return c, nil
}

// isPending notes that r has run. The unit's turn.
func (c *cell) isPending(r *run) {
	r.next, c.pending = c.pending, r
	if c.logged != nil {
		c.logged.isPending(r)
	}
}

func (c *cell) arePending(list []*run) {
	for _, r := range list {
		c.isPending(r)
	}
}

// takePending takes what is pending, the first one first. The unit's turn.
func (c *cell) takePending() []*run { return c.takePendingInto(nil) }

// takePendingInto is takePending into the memory of an empty slice, if that suffices.
func (c *cell) takePendingInto(room []*run) []*run {
	list := inOrderInto(room, c.pending)
	c.pending = nil
	if c.logged != nil {
		c.logged.added, c.logged.pending = 0, 0
	}
	return list
}

// idle reports whether all that has run is written.
func (c *cell) idle() bool {
	return c.phase.Load() == idle && c.readers.Load() == nil && !c.isLookingUp()
}

// isBroken reports whether the state is not to be used: what comes is put behind.
func (c *cell) isBroken() bool { return c.phase.Load() >= failed }

// invoke runs an operation.
func (c *cell) invoke(ctx *freerun.Context, i *freerun.Invocation) error {
	r := &run{cell: c, held: seam.Hold(i)}
	r.held.Set(r)
	if !c.marks(ctx, r, i) {
		return nil
	}
	switch {
	case c.isBroken(), c.isLookingUp(), c.hasBehind():
		c.comesBehind(r)
		return nil
	case c.isBehind(r):
		c.breaks(append(c.takePending(), r))
		return nil
	case c.settledBefore(r), !r.isLate() && r.refused == nil && !c.knows(r):
		return nil
	case r.refused != nil:
		c.isPending(r)
		c.settle(seam.State(i))
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
	c.hasRun(r)
	c.isPending(r)
	if r.forgets {
		c.part()
	} else {
		c.settle(seam.State(i))
	}
	return err
}

// marks gives a run what the message has beside the operation, and reports whether it goes on: a
// delivery may have to wait for an earlier one, and an identity may be refused.
func (c *cell) marks(ctx *freerun.Context, r *run, i *freerun.Invocation) bool {
	id := ""
	switch mark := seam.Mark(i).(type) {
	case *delivery:
		if c.kind.node.outbox.lines.mustWait(mark) {
			r.held.Release(errBehind)
			return false
		}
		r.of = mark
		if mark.isQuestion() || mark.wantsOutcome() {
			r.kept = &kept{op: mark.op, result: i.Result()}
		}
		id = mark.identity()
	case *asked:
		c.isAsked(r, i)
		id = mark.once
	default:
		carried, ok := seam.Carried(ctx, onceKey{})
		if !ok {
			return true
		}
		if id = carried.(string); checkIdentity(id) != nil {
			r.held.Release(fmt.Errorf("cluster: Once: %w", checkIdentity(id)))
			return false
		}
	}
	if c.logged != nil && r.logged == nil {
		r.logged = &loggedRun{}
	}
	if id != "" {
		if err := c.identify(r, id, i.Operation, i.Result()); err != nil && r.isRefused(fmt.Errorf("cluster: Once: %w", err)) {
			return false
		}
	}
	if r.logged != nil && r.logged.asked != nil {
		r.logged.asked.kept = r.kept
	}
	return true
}

// settle begins the write of what has run, or leaves it to the end of the one under way.
func (c *cell) settle(state any) {
	for {
		switch c.phase.Load() {
		case idle:
			if c.unit.HasMore() { // one write for all that waits in its mailbox
				c.phase.Store(ready)
				c.unit.RunTurn(nil, (*nextWrite)(c))
				return
			}
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
	if c.logged != nil {
		if c.isStale() {
			return c.logged.part.of.notOwned() // the request goes to the owner
		}
		return c.readLogged(ctx, i)
	}
	if c.phase.Load() == idle {
		return i.Next(ctx)
	}
	r := &run{cell: c, held: seam.Hold(i), reads: true}
	r.held.Set(r)
	if c.isBroken() {
		c.comesBehind(r)
		return nil
	}
	// Once it is in a list its outcome may be given free: that is known when this returns.
	err := i.Next(ctx)
	c.hasRead(r)
	return err
}

// hasRead puts a read into the list of those that have seen what may not be written, and gives that
// free if all is. In the unit's turn.
func (c *cell) hasRead(r *run) {
	push(&c.readers, r)
	if c.phase.Load() == idle {
		releaseAll(c.readers.Swap(nil), nil)
	}
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
		r.release(err)
		r = next
	}
}
