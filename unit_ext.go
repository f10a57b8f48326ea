package freerun

import (
	"fmt"
	"reflect"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// extras is what only some units need, so that the others do not pay for it: a unit without has one word for it. It is made with the
// unit, by its options, or on first use, and stays.
type unitExt struct {
	name      string // for reports
	own       bool   // all messages have the unit's own priority, and there are no lanes
	priority  Priority
	limit     *mailboxLimit                      // nil: the mailbox has no limit
	policy    *faultPolicy                       // nil: a unit keeps its state when an operation panics
	held      atomics.Pointer[mute]              // while the unit is held back
	mailboxes atomics.Pointer[priorityMailboxes] // nil: all messages so far were of one priority

	// readers is two for each reader that was taken from the mailbox and has not ended, and one if the unit's owner has gone away and left the
	// unit to the last of them. Only the owner lets readers in.
	readers atomics.Uint32
	left    atomics.Plain[*message] // what the owner has left then, which comes next; the owner's
}

// fill adds the figures that only units with extras have.
func (x *unitExt) fill(s *UnitStats) {
	s.HeldBack = x.held.Load() != nil
	if x.limit != nil {
		s.Waiting, s.Peak = int(x.limit.filling().count()), int(x.limit.peak.Load())
	}
	if x.policy != nil {
		s.Restarts = int(x.policy.restarts.Load())
	}
}

// takeOut is called for each letter that was dequeued, and returns true if it is not to be run. Owner only.
func (x *unitExt) takeOut(s *worker, l *message) (ended bool) {
	if x.limit != nil {
		x.limit.takeOut()
	}
	if x.policy != nil && x.policy.stopped != nil {
		l.vtable().fail(s, l, x.policy.stopped)
		return true
	}
	return false
}

// UnitOption is a setting of a unit, for [NewUnit].
type UnitOption func(x *unitExt, state reflect.Type)

// extend returns the unit's extras, which it makes if there are none. Any goroutine.
func (u *unit) extend() *unitExt {
	for {
		if x := u.ext.Load(); x != nil {
			return x
		}
		u.ext.CompareAndSwap(nil, new(unitExt))
	}
}

// apply makes the extras that the options ask for.
func (u *unit) apply(options []UnitOption, state reflect.Type) {
	x := &unitExt{}
	for i, o := range options {
		if o == nil {
			panic(fmt.Sprintf("freerun: NewUnit with a nil option, the one with index %d", i))
		}
		o(x, state)
	}
	if b := x.limit; b != nil {
		b.none = &fullError{unit: x.name, state: state, most: b.most}
	}
	u.ext.Store(x)
}

// lanes returns the unit's lanes, nil if it has none.
func (u *unit) priorityMailboxes() *priorityMailboxes {
	if x := u.ext.Load(); x != nil {
		return x.mailboxes.Load()
	}
	return nil
}

// priority returns that with which the unit's own task is queued.
func (u *unit) priority() Priority {
	if x := u.ext.Load(); x != nil && x.own {
		return x.priority
	}
	return Normal
}
