package cluster

import (
	"slices"
	"strings"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
)

// Sketch:     the timers of a unit are a part of its state: they are loaded with it, its operations
//             change them, a write stores them, and what undoes the state undoes them
//             an entry beside the record, the wake, has the time when the first of them is due, or
//             an earlier one; the node has a timer of the runtime for each wake (wakes.go)
//             that timer rings: in the unit's turn what is due is told to the unit, as if by an
//             operation of its own, which changes the timers and the wake
// Invariants: W1 What is due is told in the write that takes the timer from the record, or moves it
//             to its next time. So it is told once.
//             W2 A record with timers has a wake, in the same write, that is due no later than they
//             are.
//             W6 What is due together is told in the order of the times.

// timer is a timer of a unit, as its record has it.
type timer = layout.Timer

// timers are those of a unit. The unit's turn.
type timers struct {
	list []timer // in the order of their names
	// wake is the time in the unit's wake, as of the writes so far; zero without one.
	wake time.Time
	// moves: the next write has a new wake in any case.
	moves bool
}

// timersOf returns the timers of the unit, nil for most.
func (c *cell) timersOf() *timers {
	if rare := c.rare.Load(); rare != nil {
		return rare.timers
	}
	return nil
}

// withTimers returns the timers of the unit, and makes place for them.
func (c *cell) withTimers() *timers {
	rare := c.withRare()
	if rare.timers == nil {
		rare.timers = &timers{wake: c.storedWake()}
	}
	return rare.timers
}

// find returns the place of the timer with a name.
func (t *timers) find(name string) (int, bool) {
	return slices.BinarySearchFunc(t.list, name, func(a timer, name string) int { return strings.Compare(a.Name, name) })
}

// set sets a timer.
func (c *cell) set(t timer) {
	all := c.withTimers()
	if at, there := all.find(t.Name); there {
		all.list[at] = t
	} else {
		all.list = slices.Insert(all.list, at, t)
	}
}

// cancel takes a timer away, and reports whether it was there.
func (c *cell) cancel(name string) bool {
	all := c.timersOf()
	if all == nil {
		return false
	}
	at, there := all.find(name)
	if there {
		all.list = slices.Delete(all.list, at, at+1)
	}
	return there
}

// loaded has the unit have the timers that its record has.
func (c *cell) loaded(list []timer) {
	if all := c.timersOf(); all != nil || len(list) > 0 {
		all = c.withTimers()
		*all = timers{list: list, wake: c.storedWake()}
	}
}

// storedWake returns the time in the unit's wake, as it is stored.
func (c *cell) storedWake() time.Time {
	if c.logged != nil {
		return c.logged.stored.Load().wake
	}
	return c.kind.node.wakes.at(c.key)
}

// earliest returns the time when the first timer is due, zero without one.
func (t *timers) earliest() (at time.Time) {
	for i := range t.list {
		if due := t.list[i].Due; at.IsZero() || due.Before(at) {
			at = due
		}
	}
	return at
}

// takeDue takes what is due, in the order of the times; one that repeats stays, for its next time.
// Of what is due the latest stays, too, if all takes more than most bytes.
func (t *timers) takeDue(now time.Time, most int) (due []timer) {
	for i := range t.list {
		if !t.list[i].Due.After(now) {
			due = append(due, t.list[i])
		}
	}
	slices.SortStableFunc(due, func(a, b timer) int { return a.Due.Compare(b.Due) })
	n := 0
	for ; n < min(len(due), mostPending) && most > 0; n++ {
		most -= len(due[n].Arg) + len(due[n].Operation) + mostOverhead
	}
	due = due[:n]
	for _, one := range due {
		at, _ := t.find(one.Name)
		if one.Every > 0 {
			t.list[at].Due = one.Next(now)
		} else {
			t.list = slices.Delete(t.list, at, at+1)
		}
	}
	return due
}

// addWake has a write of the unit's record hold the wake that its timers need (W2).
func (c *cell) addWake(b *batch) {
	all := c.timersOf()
	if all == nil {
		return
	}
	at := all.earliest()
	late := !at.IsZero() && (all.wake.IsZero() || at.Before(all.wake))
	if !late && !all.moves && !(at.IsZero() && !all.wake.IsZero()) {
		return
	}
	w := engine.Write{Key: layout.WakeOf(c.key)}
	if !at.IsZero() {
		w.Value = layout.EncodeWake(at)
	}
	b.writes = append(b.writes, w)
	b.wakes, b.wake = true, at
	all.wake, all.moves = at, false
}

// ring tells the unit what is due: its wake has come. In the unit's turn.
func (c *cell) ring(w *wake, state any) {
	if c.isBroken() {
		c.kind.node.wakes.again(w)
		return
	}
	r := &run{cell: c, own: func(err error) {
		if err != nil {
			c.kind.node.wakes.failed(w, err)
		}
	}}
	c.tellDue(r)
	c.isPending(r)
	c.settle(state)
}

// tellDue has a run tell the unit what is due, and the next write have a wake anew. If nothing is
// due, the run changes nothing: a unit that was forgotten stays so (W5, W7).
func (c *cell) tellDue(r *run) {
	all := c.withTimers()
	due := all.takeDue(c.kind.node.rt.Now(), c.mostDue())
	r.reads, all.moves = len(due) == 0, true
	for _, t := range due {
		r.tells = append(r.tells, tell{
			Tell: layout.Tell{Kind: c.kind.stored, Key: c.keyText(), Operation: t.Operation, Arg: t.Arg},
			to:   c.kind, op: c.kind.ops[t.Operation],
		})
	}
}

// keyText returns the unit's key as it is stored.
func (c *cell) keyText() string { return string(c.key[len(layout.Records(c.kind.stored)):]) }
