package freerun

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/freerun-go/freerun/internal/route"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Source:     our own. An end is a message, so that it has a place in the unit's order
// Sketch:     Stop: a message whose operation calls the function of OnEnd, and then stops the unit
//             a fault: the unit's policy stops the unit, after an operation has panicked
//             either way: stopped = why; what watches the unit is told; the owner fails each
//             message that it takes from now on
// Invariants: I1 Only the owner stops a unit, and tells what watches it. So no operation runs
//             meanwhile, and none begins afterwards.
//             I2 A unit that was stopped stays so, but one of a kind at a Kind.Stop. It has nothing
//             in its list of watches.
// Progress:   The owner takes messages as ever, and fails them. No message waits for an end.
// Publish:    stopped is written by an owner and read by the next ones
// Cost:       a unit pays nothing before the first Stop or Watch. With a unitExt, a load for each
//             message, which says whether the unit is stopped
// Checked by: TestStop…, TestWatch…, TestOnEnd…, TestLife…

// Stop ends a unit, in its turn: what was sent to it before runs, then the function of [OnEnd],
// and the state is dropped. All messages that come later fail with a [*StoppedError]. The future's
// value tells whether it was this call that has stopped the unit. A Stop that is sent with a higher
// priority ([Context.WithPriority]) overtakes messages that wait, and those that it has overtaken
// fail; some may run until a processor comes to it. Repetitions to the unit ([Operation.Every]) do
// not end with it: each of their messages fails.
//
// A unit of a [Kind] becomes passive instead, after the function of [OnStop], as by [Kind.Stop]:
// its next message makes a new state.
//
// The message takes no room in a limited mailbox. The future fails as that of [Operation.Send],
// and with a [*PanicError] if the function of OnEnd panics: the unit is stopped then, too. Any
// goroutine may call Stop, operations of the unit too; it does not wait. One allocation. It panics
// if c or u is nil.
func Stop[S any](c *Context, u *Unit[S]) Future[bool] {
	return u.checked().stop(c.checked(), func(u *unit) { *stateOf[S](unsafe.Pointer(u)) = *new(S) })
}

// stop sends the message that stops the unit. clear drops the state of a unit that is of no kind.
func (u *unit) stop(c *Context, clear func(u *unit)) Future[bool] {
	if x := u.ext.Load(); x != nil && x.keyed() != nil {
		return x.settings.home.kind.stop(c, u)
	}
	return sendTo(stopUnit, c, u, clear)
}

// OnEnd has fn called when the unit is stopped by [Stop], or by a Shutdown of the runtime: to save
// the state, or to give something back. fn has the unit to itself, as an operation has, and may
// call [Context.Block]; what comes for the unit waits until fn has returned, and then fails. It is
// not called for a state that an operation left by a panic ([StopOnPanic]), nor by a Close.
//
// A Shutdown stops the units with OnEnd once all else is done, those of kinds with [OnStop] first.
// So the runtime keeps a unit with OnEnd until it has ended: one that is not stopped is not
// collected as garbage. OnEnd panics if fn is nil; NewUnit panics if the unit's state has another
// type. A kind has [OnStop] instead, which is told the key.
func OnEnd[S any](fn func(c *Context, s *S)) UnitOption {
	if fn == nil {
		panic("freerun: OnEnd with a nil function")
	}
	needs := reflect.TypeFor[S]()
	return UnitOption{func(x *unitExt, state reflect.Type) {
		if needs != state {
			panic(fmt.Sprintf("freerun: OnEnd with a function for %v, for a unit of %v", needs, state))
		}
		x.withLife().onEnd = func(c *Context, u *unit) { fn(c, stateOf[S](unsafe.Pointer(u))) }
	}}
}

// unitLife holds what units have that are watched, or have options for their ends. The options set
// onEnd, policy and idle; all other fields are the owner's.
type unitLife struct {
	onEnd   func(c *Context, u *unit)
	policy  *faultPolicy  // nil: the unit keeps its state after a panic
	idle    *idleness     // nil: nobody is told that the unit is idle
	stopped *StoppedError // not nil once the unit is stopped
	watches []*watch
	prune   int // the length of watches at which those that have ended are taken out
}

// idleness is what the owner of a unit with [OnIdle] knows of its use.
type idleness struct {
	used  bool          // since the last look
	looks bool          // a look is to come
	quiet int           // how many looks in a row have found no use
	look  func(u *unit) // has the unit look at this after a while; only once at a time
}

// use takes note that the unit is in use. Owner only, or before any other goroutine knows the unit.
func (i *idleness) use(u *unit) {
	i.used = true
	if !i.looks {
		i.looks = true
		i.look(u)
	}
}

// noteUse is use for a unit that may be without OnIdle.
func (x *unitExt) noteUse(u *unit) {
	if l := x.life.Load(); l != nil && l.idle != nil {
		l.idle.use(u)
	}
}

// withLife returns the unit's life. Owner only, or before any other goroutine knows the unit.
func (x *unitExt) withLife() *unitLife {
	l := x.life.Load()
	if l == nil {
		l = &unitLife{}
		x.life.Store(l)
	}
	return l
}

// isStopped reports whether the unit runs no further operation. Owner only.
func (x *unitExt) isStopped() bool { return x.stopped() != nil }

// stopped returns the error of all further messages, nil if the unit is not stopped. Owner only.
func (x *unitExt) stopped() *StoppedError {
	if l := x.life.Load(); l != nil {
		return l.stopped
	}
	return nil
}

// onEnd returns the function of OnEnd, nil if there is none. Owner only.
func (x *unitExt) onEnd() func(c *Context, u *unit) {
	if l := x.life.Load(); l != nil {
		return l.onEnd
	}
	return nil
}

// beginAnew has the unit run operations again, and forgets its panics. Owner only.
func (x *unitExt) beginAnew() {
	x.roomBegins()
	l := x.life.Load()
	if l == nil {
		return
	}
	l.stopped = nil
	if l.policy != nil {
		l.policy.recent = nil
	}
}

// stopUnit is the operation of [Stop] on units that are of no kind. Its argument drops the state.
var stopUnit = lifeOperation("unit.stop", endInTurn)

// endInTurn is the function of stopUnit.
func endInTurn(c *Context, u *unit, clear func(u *unit)) (bool, error) {
	x := u.extend()
	if x.isStopped() {
		return false, nil
	}
	defer func() { // also if the user's function panics: the unit was to end
		clear(u)
		u.endStopped(x, &StoppedError{Restarts: x.policy().restarted()})
	}()
	if fn := x.onEnd(); fn != nil {
		fn(c, u)
	}
	return true, nil
}

// lifeOperation returns an operation on units of any state. It runs on stopped and on passive ones,
// too, and takes no room in a limited mailbox.
func lifeOperation[A, R any](name string, fn func(c *Context, u *unit, arg A) (R, error)) *operation[A, R] {
	o := &operation[A, R]{}
	k := &o.core
	k.declared, k.route.Form = declare(name, OperationInfo{}), route.Control
	o.invoke = func(c *Context, to unsafe.Pointer, arg A) (R, error) { return fn(c, (*unit)(to), arg) }
	complete(o, k.declared.name, nil)
	k.argPlan, k.resultPlan = nil, nil // what they hold is no future of the user's
	k.notIntercepted()
	k.sent.stateless, k.told.stateless = true, true
	return o
}

// endStopped stops the unit. Owner only.
func (u *unit) endStopped(x *unitExt, why *StoppedError) {
	x.withLife().stopped = why
	if x.onEnd() != nil {
		u.rt.endings.Delete(u)
	}
	x.tellWatches(Ended{Err: why})
}

// unitsMade numbers the units with OnEnd.
var unitsMade atomics.Uint64

// keepUntilEnd has a Shutdown stop the unit, which is new, if it has an OnEnd.
func (u *unit) keepUntilEnd(clear func(u *unit)) {
	if x := u.ext.Load(); x.onEnd() != nil {
		u.rt.endings.Store(u, &unitEnding{u, unitsMade.Add(1), clear})
	}
}

// unitEnding is a unit that a Shutdown stops.
type unitEnding struct {
	unit  *unit
	nth   uint64 // the order in which the units were made
	clear func(u *unit)
}

// stopUnits sends all units with OnEnd the message that stops them. It reports whether there were
// any. For a Shutdown that has found all messages done.
func (rt *Runtime) stopUnits() (some bool) {
	var all []*unitEnding
	for _, e := range rt.endings.Range {
		all = append(all, e.(*unitEnding))
	}
	slices.SortFunc(all, func(a, b *unitEnding) int { return cmp.Compare(a.nth, b.nth) })
	for _, e := range all {
		if !rt.countSent(drains) {
			return false
		}
		m := &sendMessage[func(*unit), bool]{arg: e.clear}
		stopUnit.core.sendOwn(rt, e.unit, &m.result.promised, ownSender)
		some = true
	}
	return some
}
