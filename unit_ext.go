package freerun

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/freerun-go/freerun/internal/route"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// unitExt holds the fields that few units need. A unit without them pays one word. A unitExt is
// made with the unit, by the unit's options, or on first use, and is never taken away.
type unitExt struct {
	settings *unitSettings                // nil: those of a plain unit
	limit    *mailboxLimit                // nil: the mailbox has no limit
	life     atomics.Pointer[unitLife]    // nil: no policy for panics, no watch, and no end
	held     atomics.Pointer[mute]        // not nil while the unit is muted
	several  atomics.Pointer[unitSeveral] // nil for most
	// still is the message for whose outcome the unit lies still: the one that makes its state, or
	// that of a Suspend; nil for none. The owner stores it, before it leaves the unit.
	still atomics.Pointer[promised]

	// left is the message that the owner found when it left the unit to the readers, or to an
	// activation. It comes next. The owner's.
	left atomics.Plain[*message]
	// readers is two for each reader that was taken from the mailbox and has not ended, and one
	// more if the owner has left the unit to the last of them. Only the owner lets readers in.
	readers atomics.Uint32
}

// unitSeveral is what a unit has that gets messages of several priorities, or messages to several
// units of which some are of kinds.
type unitSeveral struct {
	mailboxes atomics.Pointer[priorityMailboxes] // nil: all messages so far had one priority
	// holder is the message to several units, some of them of kinds or near them, to which the unit
	// has come.
	holder atomics.Pointer[multi]
	// nearKinds says that such a message was sent to the unit, and perhaps came to it; or a message
	// that suspends the unit.
	nearKinds atomics.Bool
}

// forSeveral returns the unit's unitSeveral, and makes it if there is none. Any goroutine.
func (x *unitExt) forSeveral() *unitSeveral {
	for {
		if s := x.several.Load(); s != nil {
			return s
		}
		x.several.CompareAndSwap(nil, new(unitSeveral))
	}
}

// holder returns the message to several units to which the unit has come, if some of them are of
// kinds or near them; otherwise nil.
func (x *unitExt) holder() *multi {
	if s := x.several.Load(); s != nil {
		return s.holder.Load()
	}
	return nil
}

// nearKinds reports whether a message was sent to the unit for which it may lie still.
func (x *unitExt) nearKinds() bool {
	s := x.several.Load()
	return s != nil && s.nearKinds.Load()
}

// mailboxes returns the priority mailboxes, nil if there are none.
func (x *unitExt) mailboxes() *priorityMailboxes {
	if s := x.several.Load(); s != nil {
		return s.mailboxes.Load()
	}
	return nil
}

// keyed returns what a unit of a kind has, whose unitExt is the first part of that; nil for others.
func (x *unitExt) keyed() *keyed {
	if x.settings != nil && x.settings.home != nil {
		return (*keyed)(unsafe.Pointer(x))
	}
	return nil
}

// unitSettings are what options set, and what no unit changes. The units of a kind share theirs.
type unitSettings struct {
	name string // for reports
	// own says that all messages have the unit's own priority. Such a unit has no priority
	// mailboxes.
	own      bool
	priority sched.Priority
	around   []*interceptor // of the runtime and the unit, the outermost first; nil for most
	home     *kindHome      // nil: the unit is of no kind
	route    route.Route    // nil: all messages come to the unit
	quick    route.Quick    // the route, if it is one; nil for others
	behind   bool           // the route is a route.Behind
	state    reflect.Type   // of a unit with a route
}

// plainSettings are those of a unit without options.
var plainSettings unitSettings

// set returns the settings for options to change. No other goroutine knows x yet.
func (x *unitExt) set() *unitSettings {
	if x.settings == nil {
		x.settings = &unitSettings{}
	}
	return x.settings
}

// has returns the settings, which the caller does not change.
func (x *unitExt) has() *unitSettings {
	if x.settings == nil {
		return &plainSettings
	}
	return x.settings
}

// fill adds the figures of units with a unitExt.
func (x *unitExt) fill(u *unit, s *UnitStats) {
	s.HeldBack, s.Suspended = x.held.Load() != nil, x.shownSuspended(u)
	if x.limit != nil {
		s.Waiting, s.Peak = int(x.limit.filling().count()), int(x.limit.peak.Load())
	}
	if p := x.policy(); p != nil {
		s.Restarts = int(p.restarts.Load())
		s.BackingOff = x.resting() != nil
	}
}

// takeOut is called for each message that was dequeued. It returns true if the message has ended
// and is not to be run. Owner only.
func (x *unitExt) takeOut(w *worker, m *message) (ended bool) {
	x.leavesLimit()
	l := x.life.Load()
	if l == nil {
		return false
	}
	if l.stopped != nil {
		m.vtable().fail(w, m, l.stopped)
		return true
	}
	if l.idle != nil {
		l.idle.use(m.unit)
	}
	return false
}

// isSuspended reports whether the unit lies still for a Suspend. Any goroutine.
func (x *unitExt) isSuspended() bool {
	m := x.still.Load()
	return m != nil && !m.free() // the message that makes a state is a free operation
}

// shownSuspended reports whether the unit lies still for a Suspend that has begun. Any goroutine.
func (x *unitExt) shownSuspended(u *unit) bool {
	if !x.isSuspended() {
		return false
	}
	_, shown := u.rt.suspended.Load(u)
	return shown
}

// leavesLimit gives back the place that a message has taken in a limited mailbox. Owner only.
func (x *unitExt) leavesLimit() {
	if x.limit != nil {
		x.limit.takeOut()
	}
}

// UnitOption is a setting of a unit, for [NewUnit].
type UnitOption struct {
	apply func(x *unitExt, state reflect.Type)
}

// extend returns the unit's unitExt, and makes one if there is none. Any goroutine.
func (u *unit) extend() *unitExt {
	for {
		if x := u.ext.Load(); x != nil {
			return x
		}
		u.ext.CompareAndSwap(nil, new(unitExt))
	}
}

// apply makes the unitExt for which the options ask.
func (u *unit) apply(options []UnitOption, state reflect.Type) {
	x := &unitExt{}
	x.equip(options, state)
	if p := x.policy(); p != nil {
		p.mustFit(u.rt, p.restart != nil)
	}
	u.ext.Store(x)
}

// equip sets what the options ask for. No other goroutine knows x yet.
func (x *unitExt) equip(options []UnitOption, state reflect.Type) {
	for i, o := range options {
		if o.apply == nil {
			panic(fmt.Sprintf("freerun: a zero UnitOption for a unit or a kind, the one with index %d", i))
		}
		o.apply(x, state)
	}
	if b := x.limit; b != nil {
		b.none = &fullError{unit: x.has().name, state: state, most: b.most}
	}
}

// priorityMailboxes returns the unit's priority mailboxes, nil if it has none.
func (u *unit) priorityMailboxes() *priorityMailboxes {
	if x := u.ext.Load(); x != nil {
		return x.mailboxes()
	}
	return nil
}

// priority returns the priority with which the unit's own task is queued.
func (u *unit) priority() sched.Priority {
	if x := u.ext.Load(); x != nil && x.settings != nil && x.settings.own {
		return x.settings.priority
	}
	return sched.Normal
}
