package cluster

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/route"
)

// Sketch:     an operation panics, returns an open future, or leaves a state that cannot be
//             encoded: the phase is broken, or breaking while a write is under way
//             what comes now is not run, but put behind
//             in its turn the unit drops its state, and is told to run again; the message makes it
//             active, so that the state is that of the last write
//             what was pending runs again, then what was put behind, each in its order
// Invariants: I5 An operation that runs again was in no write, and its outcome is not known.
//             I6 Nothing runs on a state that is broken.

// mostTries is how many times an operation may panic. Then the panic is its outcome.
const mostTries = 3

var (
	// errUndone is the outcome of a read that has seen what was undone.
	errUndone = errors.New("cluster: what the read has seen was undone")
	// errBehind is the outcome of a delivery that has overtaken one that is tried again.
	errBehind = errors.New("cluster: an earlier delivery to the unit is tried again first")
)

// try runs an operation, and reports whether it has run. If not, what it has changed is to be
// undone; it is to run again, unless it is refused.
func (c *cell) try(r *run, fn func() error) (err error, done bool) {
	r.tells, r.forgets = nil, false
	if r.isReplayed() {
		return r.kept.replay(), true
	}
	func() {
		defer func() {
			if value := recover(); value != nil {
				r.panicked(value)
			}
		}()
		err = fn()
		done = true
	}()
	if !done {
		return err, false
	}
	if err == nil && r.held.Waits() {
		r.refuse(ErrForwarded)
		return err, false
	}
	if why := r.keep(err); why != nil {
		r.refuse(why)
		return err, false
	}
	if r.goesThroughLog() {
		return err, false
	}
	if why := r.mayAdd(); why != nil {
		r.refuse(why)
		return err, false
	}
	return err, true
}

// refuse has an operation fail that has run: what it has done is undone.
func (r *run) refuse(why error) { r.refused, r.tells, r.forgets = why, nil, false }

func (r *run) panicked(value any) {
	r.tells, r.forgets = nil, false
	if r.tries++; r.tries >= mostTries {
		r.refuse(seam.Panicked(r.held, value, debug.Stack()))
	}
}

// breaks has the unit load its state again, and then run list again. In the unit's turn.
func (c *cell) breaks(list []*run) {
	c.arePending(list)
	for {
		switch p := c.phase.Load(); p {
		case writing, more:
			if c.phase.CompareAndSwap(p, breaking) {
				return // to its end
			}
		case idle, ready, broken, claimed:
			c.phase.Store(broken)
			c.tellReload()
			return
		default: // failed: the unit is told already, and what is pending fails
			return
		}
	}
}

// comesBehind keeps an operation until the unit has its state again.
func (c *cell) comesBehind(r *run) {
	push(&c.withRare().behind, r)
	if !c.isBroken() && !c.isLookingUp() { // what was put behind may be given up without r
		c.runBehind()
	}
}

// runBehind has the unit run what was put behind.
func (c *cell) runBehind() {
	began := false
	c.unit.Run(func(ctx *freerun.Context, state any) {
		began = true
		if !c.isBroken() && !c.isLookingUp() { // otherwise it comes with what is to run again
			c.again(ctx, state, nil)
		}
	}, func(err error) {
		if !began { // otherwise an operation has ended the goroutine, and the others run again
			releaseAll(c.takeBehind(), err)
		}
	})
}

// undo is the unit's turn after a write that has failed with err.
func (c *cell) undo(err error) {
	for _, r := range c.takePending() {
		r.release(err)
	}
	releaseAll(c.readers.Swap(nil), err)
	c.phase.Store(broken)
	c.reload()
}

// tellReload has the unit load its state again, in its turn.
func (c *cell) tellReload() {
	c.unit.Run(func(*freerun.Context, any) { c.reload() }, c.abandon)
}

// reload drops the state, and tells the unit to run again what is pending. The last step of a turn.
func (c *cell) reload() {
	if c.phase.Load() != broken {
		return
	}
	list, began := c.takePending(), false
	releaseAll(c.readers.Swap(nil), errUndone)
	c.unit.Run(func(ctx *freerun.Context, state any) {
		began = true
		c.again(ctx, state, list)
	}, func(err error) {
		if !began {
			c.lose(list, err)
		}
	})
	c.unit.Drop()
}

// again runs list again, and then what was put behind. In the unit's turn, which has the state.
func (c *cell) again(ctx *freerun.Context, state any, list []*run) {
	if s := c.sharedBy(); s != nil { // it has claimed a state that is loaded again now
		c.withRare().shared = nil // once: what the list has may have to run again
		list = append(list, s.behind(c))
	}
	if !c.isLookingUp() {
		list = append(list, inOrder(c.takeBehind())...)
	}
	for i, r := range list {
		if r.several != nil {
			if r.several.over.Load() {
				continue
			}
			c.putFirst(list[i+1:]...)
			c.claimFor(r.several, state)
			return
		}
		if r.own != nil && r.refused == nil { // it begins anew
			r.release(errUndone)
			continue
		}
		if c.settledBefore(r) {
			continue
		}
		if r.of != nil && c.kind.node.outbox.lines.mustWait(r.of) {
			r.release(errBehind)
			continue
		}
		if !r.isLate() && r.refused == nil && !c.knows(r) {
			if c.isLookingUp() {
				c.putFirst(list[i+1:]...)
				break
			}
			continue
		}
		if r.refused == nil && !c.runAgain(ctx, state, r, list[i:]) {
			c.breaks(append(c.takePending(), list[i:]...))
			return
		}
		c.hasRun(r)
		c.isPending(r)
		if r.forgets {
			c.putFirst(list[i+1:]...)
			c.part()
			return
		}
	}
	if rare := c.rare.Load(); rare != nil && !c.isLookingUp() { // otherwise it goes on
		rare.careful = false
	}
	if c.phase.Load() == broken {
		c.write(state)
		return
	}
	c.settle(state)
}

// runAgain runs one operation again, the first of rest, and reports whether that has gone well.
func (c *cell) runAgain(ctx *freerun.Context, state any, r *run, rest []*run) (well bool) {
	over := false
	defer func() {
		if !over { // runtime.Goexit
			r.refuse(fmt.Errorf("cluster: %w", freerun.ErrGoexit))
			c.breaks(append(c.takePending(), rest...))
		}
	}()
	_, well = c.try(r, func() error { return seam.Again(ctx, r.held) })
	over = true
	if well && c.isCareful() && r.changes() {
		if _, err := c.encode(state); err != nil {
			r.refuse(err)
			well = false
		}
	}
	return well
}

// unwritable is called when the state cannot be encoded. What is pending runs again, one after
// another, and what makes the state so is refused.
func (c *cell) unwritable() {
	c.withRare().careful = true
	c.breaks(c.takePending())
}

// lose fails what was to run again, and reads of what was undone: the state cannot be loaded.
func (c *cell) lose(list []*run, err error) {
	c.phase.Store(idle)
	for _, r := range list {
		r.release(err)
	}
	if s := c.sharedBy(); s != nil {
		c.withRare().shared = nil
		s.fail(err)
	}
	releaseAll(c.readers.Swap(nil), errUndone)
	releaseAll(c.takeBehind(), err)
}

// abandon is called when the unit cannot be told to go on: its state cannot be loaded, or the
// runtime ends, and then all outcomes are given up.
func (c *cell) abandon(err error) {
	if errors.Is(err, freerun.ErrClosed) {
		return
	}
	c.lose(c.takePending(), err)
}

// load reads the state of a unit that is to become active.
func (c *cell) load(into any, done func(found bool, err error)) {
	get := func() {
		if c.logged != nil {
			c.loadLogged(into, func(found bool, err error) {
				if err != nil {
					err = notLoaded{err}
				}
				done(found, err)
			})
			return
		}
		c.kind.node.engine.Get(c.key, func(record []byte, err error) {
			if err != nil || record == nil {
				c.loaded(nil)
				done(false, err)
				return
			}
			list, err := c.kind.decode(c.unit.Key(), record, into)
			c.loaded(list)
			done(true, err)
		})
	}
	if c.isFree() {
		get()
		return
	}
	c.withRare().loads.Store(&get)
	if c.isFree() {
		c.loadNow()
	}
}

// loadNow reads the state for which a unit waits, if one does, unless a write is under way. The end
// of a write calls it, and may be late: the unit may have been loaded since, have begun another
// write, have left, and wait for that one. While a unit waits no write begins; so what is free once
// the wait is taken stays so.
func (c *cell) loadNow() {
	rare := c.rare.Load()
	if rare == nil {
		return
	}
	for {
		get := rare.loads.Swap(nil)
		switch {
		case get == nil:
			return
		case c.isFree():
			(*get)()
			return
		}
		if rare.loads.Store(get); !c.isFree() {
			return // its end comes
		}
	}
}

// isFree reports whether no write is under way on which the state of a passive unit depends.
func (c *cell) isFree() bool {
	p := c.phase.Load()
	return p != writing && p != finishing
}

func (c *cell) isCareful() bool {
	rare := c.rare.Load()
	return rare != nil && rare.careful
}

// hasBehind reports whether something was put behind. The unit is told to run it then.
func (c *cell) hasBehind() bool {
	rare := c.rare.Load()
	return rare != nil && rare.behind.Load() != nil
}

// takeBehind takes what has come since the state was found to be broken, the last one first.
func (c *cell) takeBehind() *run {
	if rare := c.rare.Load(); rare != nil {
		return rare.behind.Swap(nil)
	}
	return nil
}

// putFirst puts operations before all that were put behind. In the unit's turn.
func (c *cell) putFirst(list ...*run) {
	for _, r := range append(list, inOrder(c.takeBehind())...) {
		push(&c.withRare().behind, r)
	}
}

// inOrder returns the members of a list, which has the last one first.
func inOrder(list *run) []*run { return inOrderInto(nil, list) }

// inOrderInto is inOrder into the memory of an empty slice, if that suffices.
func inOrderInto(room []*run, list *run) []*run {
	n := 0
	for r := list; r != nil; r = r.next {
		n++
	}
	all := slices.Grow(room, n)[:n]
	for r := list; r != nil; r = r.next {
		n--
		all[n] = r
	}
	return all
}

var _ route.Store[*freerun.Context, *freerun.Invocation] = durable{}
