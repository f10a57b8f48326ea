package freerun

import (
	"fmt"
	"reflect"
	"time"
	"unsafe"
)

// quarters is how many looks in a row must find no use: a look comes each quarter of the idle time.
const quarters = 4

// OnIdle has fn called when the unit has had nothing to do for d, or up to a quarter longer: it has
// run no operation, and none waits. fn is to let go of what is not needed meanwhile, or to ask for
// the end of the unit:
//
//	freerun.OnIdle(time.Minute, func(c *freerun.Context, u *freerun.Unit[Session], s *Session) {
//		freerun.Then(c, freerun.Retire(c, u), save) // ErrInUse if a message comes first
//	})
//
// fn has the unit to itself, as an operation has: what comes meanwhile waits until it has returned.
// It must not wait, and may call [Context.Block]. A panic in fn is one of an operation of the unit.
// fn is called once for each time that the unit is idle: again only after the unit was used. What
// counts as use is an operation, also on several units, a [Retire] and the end of a suspension, but
// no [Watch], [Stop] or [Suspend]. The time begins when the unit is made. While it is suspended, or
// held back, a unit is not idle. A Shutdown or Close ends the looks.
//
// A timer looks at the unit each quarter of d while it is in use, and keeps it from being collected
// until fn was called. A message to the unit costs a look and a store more. In a deterministic
// runtime the time is virtual.
//
// OnIdle panics if d is below a millisecond or fn is nil; NewUnit panics if the unit's state has
// another type. A kind has [PassivateAfter] instead.
func OnIdle[S any](d time.Duration, fn func(c *Context, u *Unit[S], s *S)) UnitOption {
	if d < time.Millisecond {
		panic(fmt.Sprintf("freerun: OnIdle after %v; it needs at least a millisecond", d))
	}
	if fn == nil {
		panic("freerun: OnIdle with a nil function")
	}
	needs := reflect.TypeFor[S]()
	told := func(c *Context, u *unit) {
		of := (*Unit[S])(unsafe.Pointer(u))
		fn(c, of, &of.state)
	}
	return UnitOption{func(x *unitExt, state reflect.Type) {
		if needs != state {
			panic(fmt.Sprintf("freerun: OnIdle with a function for %v, for a unit of %v", needs, state))
		}
		x.withLife().idle = &idleness{look: func(u *unit) {
			sendAfter(lookIdle, u.rt.outside.contextFor(nil), d/quarters, u, told)
		}}
	}}
}

// lookIdle is the look at a unit with OnIdle. Its argument calls the function of that.
var lookIdle = lifeOperation("unit.idle", lookInTurn)

// lookInTurn is the function of lookIdle.
func lookInTurn(c *Context, u *unit, told func(c *Context, u *unit)) (struct{}, error) {
	x := u.ext.Load()
	if i := x.life.Load().idle; !x.isStopped() && i.seesIdle(u) {
		told(c, u)
	}
	return struct{}{}, nil
}

func init() { lookIdle.core.keepsHouse() }

// seesIdle reports whether the unit has had nothing to do for its idle time. If not, there is a
// further look. For an operation of the unit.
func (i *idleness) seesIdle(u *unit) bool {
	i.quiet++
	if i.used || u.hasMore() {
		i.used, i.quiet = false, 0
	}
	if i.quiet < quarters {
		i.look(u)
		return false
	}
	i.quiet, i.looks = 0, false
	return true
}
