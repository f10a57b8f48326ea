package freerun

import "github.com/freerun-go/freerun/internal/atomics"

// Priority says how urgent a message is.
type Priority uint8

const (
	unset Priority = iota
	High
	Normal
	Low
	Idle

	priorities = 4
)

// priority returns that of what is sent through the context.
func (c *Context) priority() Priority {
	if c.realm == nil {
		return unset
	}
	return c.realm.priority
}

// realmIn returns the realm that is, or is to be, in slot.
func realmIn(slot *atomics.Pointer[realm], rt *Runtime, s *Scope, p Priority) *realm {
	if r := slot.Load(); r != nil {
		return r
	}
	slot.CompareAndSwap(nil, newRealm(rt, s, p))
	return slot.Load()
}
