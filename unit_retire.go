package freerun

import (
	"fmt"
	"sync"
	"unsafe"
)

// Source:     our own
// Sketch:     Retire: a message. When it runs, the owner looks at the mailboxes (L1); if there is
//             more, the message fails, and the unit goes on. Otherwise the state becomes the
//             value of the future, and the unit is stopped
// Invariants: I1 Between L1 and the stop no operation runs, because the owner is in one. So each
//             message that runs on the state has run before the future has it.
//             I2 A message that was in a mailbox before L1 is behind the one of Retire, or was run.
//             One that comes later finds the unit stopped, or passive. None is lost.
// Linearize:  at the first load of L1; a message in another mailbox that comes between two of the
//             loads is later
// Checked by: TestExploreRetire, TestRetire…

// Retire ends a unit that is not in use, and gives its state back: to keep it elsewhere, say, or
// to move it. It has its turn: what was sent to the unit before runs first. If there is more for
// the unit then, messages behind the Retire, of whatever priority, the future fails with an error
// that is [ErrInUse], and the unit goes on as if nothing had happened: ask again, or wait for
// [OnIdle]. Otherwise the unit is stopped as of that look, and the future has its state. So a
// message is run before, and its effect is in the state; or it comes later, and fails as after a
// [Stop], with a [*StoppedError].
//
// A unit of a [Kind] becomes passive instead: the next message makes a new state. One that is
// passive is made active, as by any message. Neither the function of [OnEnd] nor that of [OnStop]
// is called: whoever has the state saves it, and a message that comes before that makes a state
// without it. So to save the state of a unit of a kind, use [OnStop] and [Kind.Stop]: what comes
// then waits for it. Each [Watch] of the unit has its value.
//
// Messages that wait for futures, and those of timers that are not due, are not in the mailbox:
// they come later. Messages that were canceled there, or are parts of the runtime's own work,
// count, so an ErrInUse may come without need. Futures in the state are not waited for. The state
// is copied: one that holds a lock by value must not be retired while that is held.
//
// The future fails as that of [Operation.Send] otherwise. Once the operation has begun, the state
// is the future's: a canceled scope, or a Close, does not give it back to the unit. Any goroutine
// may call Retire, operations of the unit too; it does not wait. One allocation. It panics if c or
// u is nil.
func Retire[S any](c *Context, u *Unit[S]) Future[S] {
	to := u.checked()
	return sendTo(retirementOf[S](), c.checked(), to, struct{}{})
}

var (
	retireDeclared = declare("unit.retire", OperationInfo{})
	retirements    sync.Map // as closures: the operations of Retire
)

// retirementOf returns the operation that retires units with state S.
func retirementOf[S any]() *operation[struct{}, S] {
	if o := knownClosure[struct{}, S](&retirements); o != nil {
		return o
	}
	o := &operation[struct{}, S]{}
	o.core.declared = retireDeclared
	o.invoke = func(c *Context, to unsafe.Pointer, _ struct{}) (S, error) {
		u := (*unit)(to)
		if u.hasMore() { // L1
			return *new(S), &inUseError{u.called()}
		}
		state := *stateOf[S](to)
		*stateOf[S](to) = *new(S)
		u.retire(c)
		return state, nil
	}
	complete(o, o.core.declared.name, nil)
	o.core.resultPlan = nil // the state may hold futures
	o.core.notIntercepted()
	return keepFirst(&retirements, o)
}

// retire ends a unit whose state was taken away. For an operation of the unit.
func (u *unit) retire(c *Context) {
	x := u.extend()
	of := x.keyed()
	if of == nil {
		u.endStopped(x, &StoppedError{Restarts: x.policy().restarted()})
		return
	}
	h := x.settings.home
	h.stats.passivations.Add(1) // before the unit is seen to be passive
	h.kind.clear(u)
	of.tellWatches(Ended{})
	h.leaves(c.here(), u)
}

// inUseError is the [ErrInUse] of one unit.
type inUseError struct{ unit string }

// Error tells the unit, if it has a name.
func (e *inUseError) Error() string {
	if e.unit == "" {
		return ErrInUse.Error()
	}
	return fmt.Sprintf("%v: unit %s", ErrInUse, e.unit)
}

// Is reports whether target is ErrInUse.
func (*inUseError) Is(target error) bool { return target == ErrInUse }
