package freerun

import (
	"cmp"
	"slices"
	"sync"
	"time"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sched"
)

// Source:     our own. A suspension is an operation that has not ended, so it needs no counterpart
//             that resumes: the future that it forwards does
// Sketch:     the owner comes to the message of Suspend: still = message; puts the waiter into the
//             list of the message's promise; hands the message on, as a task of its own; leaves
//             the unit, which is in no queue and stays owned
//             the task forwards the future that was given to Suspend
//             the message has an outcome; whoever wakes its waiter is the owner now: still = nil,
//             and the unit goes on
// Invariants: I1 While still is not nil, the unit has no owner but the waiter: its mailboxes and
//             the claim of its priority mailboxes are not given up, and it is in no queue.
//             I2 The waiter is woken once, by the seal of the promise, or never put into its list:
//             then the owner goes on. So a unit is resumed once.
//             I3 The message ends once, by the seal of its promise: it takes over the outcome of
//             the future, is a part of a cycle, was canceled before it began, or was asked for
//             after the end of the runtime.
// Progress:   Messages to the unit wait, as behind an operation that does not end. The graph of
//             futures has that wait (kind_cycle.go), so a circle fails.
// Publish:    still and the waiter are written before the waiter is put into the list; the next
//             owner reads them after it was woken
// Cost:       a unit pays nothing before its first Suspend; a Suspend is one allocation, and an
//             entry in the runtime's list
// Checked by: TestExploreSuspend, TestSuspend…

// Suspend has a unit lie still, from its turn on until f has an outcome: what was sent to the unit
// before runs first, and what is sent later stays in the mailbox, in its order. Nothing runs
// meanwhile, of whatever priority: no operation, no [Read], no [Stop], and no operation on several
// units, which keeps the other units waiting, too. The unit goes on once f has an outcome, be that
// a value or an error, and the future of Suspend has the same outcome then. There is no call that
// resumes: who holds the [Promise] of f does, a timer ([After]), or the operation that f is of.
//
//	moved := freerun.NewPromise[int](c)
//	freerun.Suspend(c, account, moved.Future()) // nothing runs until moved is resolved
//
// The priority of c counts for a unit of a [Kind]. For any other, Suspend has the place of a
// message of [Normal], as operations on several units have. Suspend of a suspended unit has its
// turn after the one before. A limited mailbox ([MailboxLimit]) fills up meanwhile, and refuses or
// keeps its senders waiting as its option says; units are not held back for it. Suspend itself
// takes no room there. A unit of a [Kind] that is passive stays so, and one that is active stays
// active, whatever its idle time and its [MaxActive]; it is in use when it goes on.
// [Runtime.SuspendedUnits] and [UnitStats] show the suspended units.
//
// The future fails
//   - with the error of f, if f fails; the unit goes on as with a value,
//   - with [ErrCycle] if f would wait for what lies in the mailbox of the unit, for the end of the
//     unit ([Watch]), or for room in its mailbox ([Room]); the unit goes on, and some futures
//     between f and the unit may have failed, too,
//   - at once, with [ErrNoFuture], if f is the zero Future,
//   - as that of [Operation.Send], before the unit is suspended: with a [*StoppedError] if it was
//     stopped, with [ErrCanceled] if c's scope was canceled.
//
// A suspension that has begun is as an operation that runs: [Scope.Wait], [Runtime.Quiesce] and
// [Runtime.Shutdown] wait for it, and a canceled scope does not end it, unless f is of that scope,
// as the future of a promise that was made in it. A Shutdown waits until its deadline; then, or at
// a Close, the messages in the mailbox are given up, and counted. f may be of another runtime.
//
// Any goroutine may call Suspend, operations of the unit too; it does not wait. One allocation, and
// an entry in the list of suspended units. It panics if c or u is nil.
func Suspend[S, T any](c *Context, u *Unit[S], f Future[T]) Future[T] {
	to := u.checked()
	c.checked()
	if f.cell == nil {
		return Failed[T](ErrNoFuture)
	}
	m := &suspension[T]{}
	m.asked.arg = f
	suspensionOf[T]().core.suspend(c, to, &m.asked.result.promised)
	return Future[T]{cell: &m.asked.result}
}

// suspension is the message of a Suspend, and what goes on with its unit.
type suspension[T any] struct {
	asked  sendMessage[Future[T], T] // must be first
	waiter message
}

var (
	suspendDeclared = declare("unit.suspend", OperationInfo{})
	suspensions     sync.Map // as closures: the operations of Suspend
)

// suspensionOf returns the operation that suspends units until a future of a T has an outcome.
func suspensionOf[T any]() *operation[Future[T], T] {
	if o := knownClosure[Future[T], T](&suspensions); o != nil {
		return o
	}
	o := &operation[Future[T], T]{}
	k := &o.core
	k.declared = suspendDeclared
	o.invoke = func(c *Context, _ unsafe.Pointer, f Future[T]) (T, error) {
		(*promised)(unsafe.Pointer(c.current)).showSuspended()
		return Forward(c, f)
	}
	complete(o, k.declared.name, nil)
	k.argPlan, k.resultPlan = nil, nil // the unit is suspended while f is open
	k.notIntercepted()
	k.sent.stateless = true
	waiterAt := unsafe.Offsetof(suspension[T]{}.waiter)
	k.sent.take = func(w *worker, u *unit, m *message) taken {
		return u.suspend(w, (*promised)(unsafe.Pointer(m)), (*message)(unsafe.Add(unsafe.Pointer(m), waiterAt)))
	}
	return keepFirst(&suspensions, o)
}

// suspend sends m, the message that suspends u.
func (o *core) suspend(c *Context, u *unit, m *promised) {
	m.start(o, u)
	w := c.here()
	if err := w.admits(c, u, &m.message); err != nil {
		if err == errKept {
			u.nearSuspension(m)
		}
		o.refuseSend(c, w, m, err)
		return
	}
	u.nearSuspension(m)
	o.launch(w, m, anySender)
}

// nearSuspension has messages to several units that are sent from now on look for circles, if u is
// one of the units: kind_cycle.go. Those that were sent before do not, unless u is of a kind. They
// have the place of a message of Normal, and so m gets that, too: it overtakes none of them.
func (u *unit) nearSuspension(m *promised) {
	x := u.extend()
	if x.keyed() != nil {
		return // it has always been near
	}
	if s := x.forSeveral(); !s.nearKinds.Load() {
		s.nearKinds.Store(true)
	}
	m.lineage.Store(m.lineage.Load().at(u.rt, sched.Normal))
}

// suspend leaves the unit to the outcome of m, and has m run, as a task of its own. waiter goes on
// with the unit then. The caller, the owner, has dequeued m.
func (u *unit) suspend(w *worker, m *promised, waiter *message) taken {
	x := u.extend()
	switch {
	case u.rt.phase.Load() >= aborting:
		return ready // it will fail
	case x.isStopped():
		m.vtable().fail(w, &m.message, x.stopped())
		return onward
	}
	if !x.lieStill(m, waiter) { // canceled in its mailbox, or given up with the runtime
		m.vtable().fail(w, &m.message, ErrClosed)
		return onward
	}
	w.hand(u.rt, &m.Task) // the caller drains the unit, and returns at once
	return gone
}

// lieStill has the unit lie still until m has an outcome. It returns false if m has one: then the
// caller is still the owner. From the step that puts the waiter into the list on, the unit may be
// another goroutine's.
func (x *unitExt) lieStill(m *promised, waiter *message) bool {
	u := m.unit
	waiter.unit = u
	waiter.become(suspendedVtable)
	x.still.Store(m) // from here on it is in the graph
	if x.limit != nil {
		x.limit.stall()
	}
	if m.Push(&waiter.Node) {
		return true
	}
	x.stirs(u)
	return false
}

// showSuspended has users see that m's unit lies still. It is called when m has begun, and so can
// no longer be canceled: who sees the suspension may rely on that.
func (m *promised) showSuspended() {
	u := m.unit
	u.rt.suspended.Store(u, u.rt.env.now())
	if !m.Open() { // given up with the runtime: the unit may have gone on before it was shown
		u.rt.suspended.Delete(u)
	}
}

// stirs takes note that the unit lies still no longer. Owner only.
func (x *unitExt) stirs(u *unit) {
	x.still.Store(nil)
	u.rt.suspended.Delete(u)
	if x.limit != nil {
		x.limit.stalled.Store(false)
	}
}

// suspendedVtable is that of waiters. It is set in init: it leads to functions that lead to it.
var suspendedVtable *vtable

func init() { suspendedVtable = waiterVtable("suspension", resume) }

// resume has a unit go on whose suspension has an outcome. The caller is the owner now.
func resume(w *worker, waiter *message) {
	u := waiter.unit
	x := u.ext.Load()
	x.stirs(u)
	switch of := x.keyed(); {
	case of == nil:
		x.noteUse(u)
	case of.is(active):
		of.use()
	default: // it may never have been active
		x.settings.home.kind.release(u)
	}
	u.goOn(w)
}

// SuspendedUnit is a unit that lies still: see [Suspend].
type SuspendedUnit struct {
	Unit  string    // the unit's name ([UnitName]), with the key of one of a kind, or its address
	Since time.Time // when its suspension began; virtual time in a deterministic runtime
}

// SuspendedUnits returns the units that are suspended, the longest suspended first. Units that are
// suspended, or go on, meanwhile may be missing or not. Any goroutine; it does not wait, and
// hinders no message.
func (rt *Runtime) SuspendedUnits() (all []SuspendedUnit) {
	rt.mustBeMade()
	for u, since := range rt.suspended.Range {
		all = append(all, SuspendedUnit{u.(*unit).nameOrAddress(), since.(time.Time)})
	}
	slices.SortFunc(all, func(a, b SuspendedUnit) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Unit, b.Unit))
	})
	return all
}
