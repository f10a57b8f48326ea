package freerun

import "reflect"

// CancelsScope has the scope s canceled when a panic stops the unit ([StopOnPanic], or the restarts
// of [RestartOnPanic] or [Restarts] are used up): for a unit that is a part of a whole which makes
// no sense without it. The [*StoppedError] is the cause ([context.Cause] of [Scope.Context]); it is
// in the errors of messages that are not started, and [Scope.Wait] returns it, unless something has
// failed in s before. So the program can make the whole anew. A unit that is told to [Stop], or
// that a Shutdown stops, cancels nothing.
//
// The scope is canceled as by [Scope.Cancel], after the unit's watches have their values, and
// before the hook of [OnPanic] is called and the future of the operation fails. If the scope was
// canceled before, nothing is done. The unit belongs to no scope: Wait does not wait for it, it
// goes on if s is canceled otherwise, and s is kept from being collected as long as the unit is.
//
// For a [Kind], give the option to [Kind.Configure], as a scope is of one runtime: the first of the
// kind's units that a panic stops cancels s. The last CancelsScope of a unit holds. CancelsScope
// panics if s is nil or zero; NewUnit and Configure panic if s is of another runtime, or if no
// panic stops the unit.
func CancelsScope(s *Scope) UnitOption {
	s.checked()
	return UnitOption{func(x *unitExt, _ reflect.Type) { x.faults().cancels = s }}
}
