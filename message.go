package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/promise"
	"github.com/freerun-go/freerun/internal/route"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// message is the part that all messages have in common: the links of the one list that the message
// is in at a time (a mailbox, a scheduler's queue, or the list of a future's waiters), its vtable,
// and its addressee. Every message type has it first, so that a pointer to this part is a pointer
// to the whole.
//
// The holder of a message is the goroutine that may write to it: the sender, then the processor
// that wakes or runs it. Through a list it passes from one holder to the next.
type message struct {
	sched.Task
	unit *unit // the addressee; a runtime's free unit for a free operation
	// lineage is scope, priority and senders; nil: the runtime's own, and none. The holder alone
	// stores it. Others may load it in a message with a future, to learn whether its scope was
	// canceled.
	lineage atomics.RelaxedPointer[lineage]
}

func messageOf(n *mailbox.Node) *message { return (*message)(unsafe.Pointer(n)) }

// free reports whether the message is for a free operation.
func (m *message) free() bool { return m.unit == &m.unit.rt.free }

// The forms of messages, and what each does at the turns of its life. A message changes its form by
// changing its vtable. A dash is a nil. The column multi is multiAt. The column fail has the three
// ways to fail: send is failSend, tell is failTell, and timer is failUnsent.
//
//	form          take    place  run   multi  release  wake     fail   recycle   made by
//	sent          –       –      send  –      –        collect  send   –         operation
//	promise       –       –      –     –      –        –        send   –         Promise
//	owing         –       –      –     –      –        pay up   –      –         operation
//	passing       –       –      –     –      –        pass on  –      –         operation
//	told          –       –      tell  –      –        collect  tell   magazine  operation
//	reader        let in  –      send  –      –        collect  send   –         operation
//	admitted      –       –      send  –      reader   –        send   –         operation
//	suspending    suspend –      send  –      –        –        send   –         Suspend
//	spread        –       parts  –     –      –        collect  send   –         operation
//	placed        –       –      send  all    all      –        send   –         operation
//	spread told   –       parts  –     –      –        collect  tell   –         operation
//	placed told   –       –      tell  all    all      –        tell   magazine  operation
//	part          arrive  –      –     –      –        –        –      –         multiPart
//	token         drop    –      –     –      –        –        –      –         priorityMailboxes
//	waiter        –       –      –     –      –        go on    –      –         caller and others
//	repetition    –       –      –     –      –        go on    –      –         Every
//	after         –       –      –     –      –        –        timer  –         After
//	slot          –       –      –     –      –        –        –      –         activities
//
// Those that run an operation have a form around beside them, in which they do so with interceptors
// around it: intercept.go. A message has it from the moment at which it is certain to be run next.
//
// The forms that a timer may send are sent, reader, spread, repetition and after. They have late,
// which sends them. They also have unsent, which is failUnsent, except the repetition: no future
// waits for it. A message that was counted as sent fails with send or tell, one before with timer.

// identity names the messages of one operation in errors, reports and recordings.
type identity struct {
	// name is the operation's; empty for a closure.
	name string
	// number is the operation's in recordings; 0 for closures.
	number uint16
	// code returns the function that a closure's message runs; nil for operations with a name.
	code func(m *message) uintptr
	// describe names the operation in an error. newVtable makes it, if it is not given.
	describe func(m *message) string
}

// vtable is shared by all messages of one operation in one form. It has the functions that go on
// with such a message. It is made once, when the operation is declared: a generic function value
// that is made for each message would be an allocation for each message.
type vtable struct {
	sched.Kind // Run is run, nil for a form in which no message is queued
	// take deals with such a message in place of a run. The unit's owner calls it. Nil for messages
	// that the owner runs.
	take func(w *worker, u *unit, m *message) taken
	// multiAt is the offset, in such a message, of its multi: the units that the message has to
	// itself. It is 0 for messages without a multi, which have at most the unit that they are
	// addressed to.
	multiAt uintptr
	// release lets go of what such a message holds, once it has ended: units, or its place among
	// the readers of a unit. again says that the message may be used again afterwards. Nil for
	// messages that hold nothing.
	release func(w *worker, m *message, again bool)
	// place deals with a message that is ready, in place of queueing it for its one unit, or for
	// none, or returns why it is refused. Nil for most.
	place func(w *worker, m *message) error
	// wake goes on with a message after the future that it waited for was resolved.
	wake func(w *worker, m *message)
	// fail ends a message that will not run, or whose operation did not return.
	fail func(w *worker, m *message, err error)
	// recycle takes back a message that has run, for another send. Nil for messages that are not
	// used again, because their future, or a list, leads to them.
	recycle func(w *worker, m *message)
	// late sends the message of a timer that is due. unsent ends that of a timer that was stopped
	// before; it may be called without a worker. Both are nil for what no timer sends.
	late   func(w *worker, m *message)
	unsent func(w *worker, m *message, why *promise.Failure)
	// dropArgument drops the argument of a message that was revoked while it waited only for its
	// turn. Nil if such a message is never revoked.
	dropArgument func(m *message)
	// around is the form of such a message when interceptors are called around its operation, and
	// plain is the form that it has again from then on: intercept.go. around is nil for what no
	// interceptor sees.
	around, plain *vtable
	// routed is the operation, and routedTold says that such a message has no future: for routes
	// (route.go). It is nil for what routes do not see.
	routed     *core
	routedTold bool
	// harmless: such a message changes nothing, and is not kept for the operation that sends it.
	harmless bool
	// shared: such a message need not have the unit to itself.
	shared bool
	// stateless: such a message does not make a passive unit of a kind active, and takes no place
	// in its mailbox.
	stateless bool
	// makesFor returns the unit of a kind whose state such a message makes. Nil for all others.
	makesFor func(m *message) *unit
	// chore: such a message is the runtime's own, by which it keeps house. A Close may leave it.
	chore bool
	// outside: such a message is a Promise. It is in no mailbox; its outcome comes from outside.
	outside bool
	identity
}

// newVtable completes k with what the scheduler needs.
func newVtable(k vtable, run func(p *sched.Processor, t *sched.Task)) *vtable {
	done := &k
	if k.describe == nil {
		done.describe = k.nameOf
	}
	done.Run = run
	done.Discard = func(t *sched.Task) { discard(t) }
	return done
}

// discard is discardMessage. It is set in init: that leads to functions that lead to vtables.
var discard func(t *sched.Task)

func init() { discard = discardMessage }

func (k *vtable) nameOf(m *message) string {
	if k.code != nil {
		return functionName(k.code(m))
	}
	return k.name
}

func (m *message) vtable() *vtable { return (*vtable)(unsafe.Pointer(m.Kind)) }

func (m *message) become(k *vtable) { m.Kind = &k.Kind }

// target returns what the function of message m is invoked with: its unit, or all its units. err is
// that of a unit that was stopped: then the message must not run.
func (k *vtable) target(m *message) (to unsafe.Pointer, err error) {
	if k.multiAt == 0 {
		return unsafe.Pointer(m.unit), nil
	}
	return k.all(m) // a function of its own, so that Go inlines this one
}

func (k *vtable) all(msg *message) (to unsafe.Pointer, err error) {
	m := k.multi(msg)
	return unsafe.Pointer(m), m.stopped()
}

// multi returns the multi of message m, which has one.
func (k *vtable) multi(m *message) *multi { return (*multi)(unsafe.Add(unsafe.Pointer(m), k.multiAt)) }

// makeVtables makes the vtables of an operation on a unit, or on none.
func (o *core) makeVtables(id identity) {
	o.sent = newVtable(vtable{
		identity: id, wake: o.wakeSend, fail: o.failSend,
		late: o.sendNow, unsent: o.failUnsent, dropArgument: o.dropArgument,
	}, o.typed.runSend)
	o.owing = newVtable(vtable{identity: id, wake: o.wakeOwing}, nil)
	o.passing = newVtable(vtable{identity: id, wake: o.wakePassing}, nil)
	o.told = newVtable(vtable{identity: id, wake: o.wakeTell, fail: o.failTell, recycle: o.recycleTell}, o.typed.runTell)
	o.sent.intercepted(o.runSendAround)
	o.told.intercepted(o.runTellAround)
	o.sent.routes(o, false)
	o.told.routes(o, true)
}

// makeMultiVtables makes the further vtables of an operation on several units. The form of a
// message is spread until the message is placed in the mailboxes, and placed from then on. inSend
// and inTell are the offsets of the multi in the messages.
func (o *core) makeMultiVtables(inSend, inTell uintptr) {
	id := o.sent.identity
	o.placed = placedVtable(vtable{identity: id, fail: o.failSend, multiAt: inSend}, o.typed.runSend)
	o.placedTold = placedVtable(vtable{identity: id, fail: o.failTell, recycle: o.recycleTell, multiAt: inTell}, o.typed.runTell)
	o.placed.intercepted(o.runSendAround)
	o.placedTold.intercepted(o.runTellAround)
	o.sent.place = o.placeSent
	o.told = newVtable(vtable{identity: id, wake: o.wakeTell, fail: o.failTell, place: o.placeTold}, nil)
	o.told.routes(o, true)
}

// releasing returns the release of messages that are placed as k. It does not ask the message for
// its vtable: a message that has forwarded another future has another vtable by then.
func releasing(k *vtable) func(w *worker, m *message, again bool) {
	return func(w *worker, msg *message, again bool) {
		m := k.multi(msg)
		m.release(w, again && m.many == nil)
	}
}

func placedVtable(k vtable, run func(p *sched.Processor, t *sched.Task)) *vtable {
	placed := newVtable(k, run)
	placed.release = releasing(placed)
	return placed
}

// makeReadingVtables makes the further vtables of an operation that only reads. The form of a
// message is reader until the unit's owner has let the message in, and admitted from then on.
func (o *core) makeReadingVtables() {
	o.admitted = newVtable(vtable{
		identity: o.sent.identity, shared: true, fail: o.failSend,
		release: func(w *worker, m *message, _ bool) { m.unit.readerEnded(w) },
	}, o.typed.runSend)
	o.admitted.intercepted(o.runSendAround)
	o.sent.shared, o.route.Form = true, route.Read
	o.sent.take = func(w *worker, u *unit, m *message) taken { return u.admitReader(w, m, o.admitted) }
}

// Waiters are in the list of a promise only. No scheduler runs them, and they do not fail.
var (
	callerVtable   = waiterVtable("caller", wakeCaller)
	awaiterVtable  = waiterVtable("awaiter", wakeAwaiter)
	audienceVtable = waiterVtable("audience", wakeAudience)
	waitAllVtable  = waiterVtable("waitAll", wakeWaitAll)
)

func waiterVtable(name string, wake func(w *worker, m *message)) *vtable {
	return newVtable(vtable{identity: identity{name: name}, wake: wake}, nil)
}

// Messages of timers that are no messages of an operation.
var (
	repetitionVtable = newVtable(vtable{identity: identity{name: "repetition"}, wake: wakeRepetition, late: fireRepetition}, nil)
	afterVtable      = newVtable(vtable{identity: identity{name: "freerun.After"}, late: fireAfter, unsent: failAfter}, nil)
)

// slotVtable is the vtable of the message that stands for an activity.
var slotVtable = newVtable(vtable{identity: identity{describe: describeSlot}}, nil)

// Notices are messages in a mailbox that the unit's owner takes and never runs: the part of a
// message to several units, and the token, which tells the owner, in its place among the messages,
// that the unit has priority mailboxes. Both are set in init, because takePart refers to its own.
var multiPartVtable, tokenVtable vtable

func init() {
	multiPartVtable = vtable{identity: identity{name: "multiPart"}, take: takePart}
	tokenVtable = vtable{identity: identity{name: "token"}, shared: true, stateless: true, take: passBy}
}

func passBy(*worker, *unit, *message) taken { return onward }

func describeSlot(m *message) string {
	return workerOf(sched.CurrentProcessor()).active.Load().operation()
}

// titleOf returns the name of an activity, or that of its function if it has none.
func titleOf(a *activity.Activity) string {
	if name := a.Name(); name != "" {
		return name
	}
	return functionName(activities.Code(a))
}
