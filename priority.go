package freerun

import (
	"reflect"

	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Priority says how soon a message is run, compared with others. The zero value is Normal.
type Priority uint8

// The priorities. A processor runs messages of High before all others, and messages of Low and
// Idle only when there is nothing better, except for turns of the lower priorities, so that all of
// them move under any flood: Normal gets one operation in 8, Low one in 32, Idle one in 256, of
// each processor and of each unit. A priority waits for its turn from the time when a message of
// it comes: while better work goes on, a message of Low waits for 31 operations at least, a
// message of Idle for 255. Messages from outside, of ordinary goroutines, come in the same order.
//
// An operation is not interrupted, but a unit's turn is. A turn of Low or Idle ends with the
// operation that runs when something better waits for its processor. A unit of Normal looks every
// 16 operations whether a message of High waits, or one from outside; it goes before other work of
// Normal for up to 128 operations. While only Idle is left, ordinary goroutines of the program go
// first, also those that wait for a socket.
const (
	Normal = Priority(sched.Normal) // the priority of all that has no other
	High   = Priority(sched.High)   // short, rare, and awaited
	Low    = Priority(sched.Low)    // when nothing of Normal waits, and in its turns
	Idle   = Priority(sched.Idle)   // when nothing else waits, and in its turns
)

const priorities = 4

// String returns the name of the priority in lower case.
func (p Priority) String() string { return sched.Priority(p).String() }

// WithPriority returns the context for sends with priority p from where c is, in c's scope and with
// its values. All
// that follows from those sends has that priority too, unless it is given another one, or is sent
// to a unit with a priority of its own ([UnitPriority]), which comes before. Within one unit,
// messages of one priority run in order, and a higher priority overtakes. Contexts are made once
// and kept, so nothing is allocated in steady state. WithPriority panics if there is no such
// priority.
//
//	alarm.Tell(c.WithPriority(freerun.High), pump, pressure)
func (c *Context) WithPriority(p Priority) *Context {
	if int(p) >= priorities {
		panic("freerun: WithPriority: there is no such priority")
	}
	return c.onward(c.checked().key.keyFor(c.rt, c.Scope(), sched.Priority(p)))
}

// Priority returns the priority of messages that are sent through the context; in an operation,
// the priority that the operation was run with.
func (c *Context) Priority() Priority { return Priority(c.priority()) }

func (c *Context) priority() sched.Priority { return c.key.priorityOf() }

// UnitPriority gives a unit a priority of its own: all its messages have it, whatever they were
// sent with. UnitPriority panics if there is no such priority.
func UnitPriority(p Priority) UnitOption {
	if int(p) >= priorities {
		panic("freerun: UnitPriority: there is no such priority")
	}
	return UnitOption{func(x *unitExt, _ reflect.Type) { x.set().own, x.set().priority = true, sched.Priority(p) }}
}

// priority returns the priority of a message.
func (m *message) priority() sched.Priority {
	return m.lineage.Load().keyOf().priorityOf()
}

// keyOf returns the key of messages with a scope, or none, a priority, and no values; nil for the
// runtime's own context.
func (rt *Runtime) keyOf(s *Scope, p sched.Priority) *contextKey {
	switch {
	case s == nil && p == sched.Normal:
		return nil
	case s == nil:
		return keyIn(&rt.keys[p], rt, nil, p)
	case p == sched.Normal:
		return &s.key
	}
	return keyIn(&s.withMore().keys[p], rt, s, p)
}

// keyIn returns the key in slot, and makes it if there is none.
func keyIn(slot *atomics.Pointer[contextKey], rt *Runtime, s *Scope, p sched.Priority) *contextKey {
	if k := slot.Load(); k != nil {
		return k
	}
	slot.CompareAndSwap(nil, newContextKey(rt, s, p))
	return slot.Load()
}

// at returns the lineage of the same senders with priority p.
func (o *lineage) at(rt *Runtime, p sched.Priority) *lineage {
	if o.keyOf().priorityOf() == p && o != nil {
		return o
	}
	s := o.keyOf().scopeOf()
	k := o.keyOf().keyFor(rt, s, p)
	switch {
	case s == nil && o != nil && o.revocable:
		return rt.calling(k)
	case k == nil:
		return nil
	case o == nil || o.sender == nil:
		return &k.root
	}
	return k.root.after(o.sender, o.function, o.earlier, o.before)
}
