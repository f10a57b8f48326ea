// Package route is the protocol through which a module decides where the messages to units go: to
// the unit, as all others do, or elsewhere, as to a unit that is suspended, in a store, or on
// another machine; and by which it keeps back what an operation has returned until that is stored.
//
// Package freerun has the messages. A module that routes them imports both packages. The two meet
// here, so that the protocol adds no exported name to those that programs use. Such a module and
// package freerun are of one version: the protocol is no promise.
//
//	freerun                        the module that routes
//	Provide   ──→  For             once, when both are initialized
//	          ←──  Seam.Option     gives a unit, or the units of a kind, a route
//	send      ──→  Route.Decide    a message has come to a unit with a route
//	          ←──  Message         elsewhere: its outcome; or it comes here after all
//	          ←──  Seam.Hold       an interceptor keeps the outcome of its operation back
//	          ←──  Held            and gives it free
//
// store.go has what a module needs that keeps the states of units, too.
package route

import "context"

// Route decides what becomes of the messages to units. Many goroutines call it at once.
type Route interface {
	// Decide is called with each message that has come to a unit with the route: when the futures
	// in its argument have their outcomes, before it takes a place in the mailbox. If the error is
	// not nil, the message is refused with it: the future of a Send fails, a Tell returns it.
	// Otherwise the verdict holds.
	//
	// It runs on the goroutine that delivers the message: that of the sender, of a timer, or one
	// that has resolved a future. So messages of one sender come in the order of sending, unless
	// they wait for futures. It must not wait, as an operation must not, and it is on the way of
	// each message. It may call methods of m, and hand m on. If it panics, the message fails with a
	// *freerun.PanicError, unless m was decided before. If it calls runtime.Goexit, the program
	// crashes.
	Decide(m Message) (Verdict, error)
}

// Quick is a Route that knows of most messages from less than a Message that they stay here. Those
// cost an allocation less.
type Quick interface {
	Route
	// Stays reports that Decide would return Here for a message of an operation; sender is what
	// Message.Sender would return. If not, Decide is called. It runs where Decide does, and must
	// not panic.
	Stays(op *Operation, sender Held) bool
}

// Behind is a Route of units that are not stored: what an operation sends them whose outcome is
// kept back leaves when that is given free, as what it sends to units without a route.
type Behind interface {
	Route
	LeavesBehind()
}

// Verdict is what a [Route] decides.
type Verdict uint8

const (
	// Here puts the message into the unit's mailbox, as if there was no route.
	Here Verdict = iota
	// Elsewhere leaves the message to the route, which must call Resolve or Pass, at once or later.
	Elsewhere
)

// Form says what a message does with its unit.
type Form uint8

const (
	Run     Form = iota // an operation that has the unit to itself
	Read                // an operation that only looks
	Several             // an operation on several units
	Control             // a Stop, a Kind.Stop or a Watch; Suspend and Retire are of form Run
)

// Operation describes an operation. It does not change.
type Operation struct {
	Name string // the full name, as freerun.NameOf returns it; empty for a closure, which has none
	Form Form
}

// Message is a message at a unit with a route. The first of these decides what becomes of it:
// Resolve, Pass, the error of Decide, and its verdict, unless that is Elsewhere. Until then the
// message counts as sent and not done: Wait of its scope waits for it, and so do Quiesce and
// Shutdown; a Close does not. A message that is never decided keeps them waiting until their
// contexts are done, and the ShutdownError counts it.
//
// When its scope is canceled, or its Call gives up, a message with a future fails at once; one
// without waits for its decision.
//
// Any goroutine may call the methods; none waits.
type Message interface {
	// Operation returns the operation, the same pointer each time.
	Operation() *Operation
	// Key returns the key of a unit of a kind; nil for other units.
	Key() any
	// Kind returns the full name of the unit's kind; empty for other units.
	Kind() string
	// Units returns the units of a message to several, in the order of the arguments; nil for a
	// message to one. Key and Kind are those of the unit with the route. The routes of the units
	// are asked one after another, until one does not have the message stay: that decides for all.
	// What it returns once the message is decided is of no use, as with Arg.
	Units() []Addressee
	// Runtime returns the *freerun.Runtime.
	Runtime() any
	// Told reports whether nobody holds a future of the outcome: the message is a Tell's.
	Told() bool
	// Arg returns a pointer to the argument, an *A. All futures in it have outcomes, except in that
	// of a Suspend, and of one that Decide is asked about ahead. The route may read and write it
	// until the message is decided. Then it may be that of another message.
	Arg() any
	// Ahead reports whether Decide is asked at the send of a message that leaves later, since its
	// sender is an operation whose outcome is kept back: one that waits for futures in its
	// argument, or is to several units. An error refuses the message, and of the verdict nothing
	// comes, as Decide is asked again when the message leaves.
	Ahead() bool
	// NewResult returns a pointer to a new zero result, an *R, to decode into.
	NewResult() any
	// Context returns a context with the values of the message that is done when the message is
	// pointless: that of its scope, or without one that of the Call that waits for it. A Call whose
	// argument had to wait for futures is not known.
	Context() context.Context
	// Senders returns the chain of operations that have sent the message, as
	// freerun.Future.Senders has it. Only Decide itself may call it.
	Senders() []string
	// Sender returns what keeps the outcome of the operation back that sends this message, nil if
	// nothing does. Only Decide itself may call it, on its goroutine. It is known for a message to
	// one unit that need not wait for futures, and for those that Decide is asked about ahead.
	Sender() Held
	// Resolve gives the message its outcome: err, or the result, an *R, nil for the zero R. It
	// reports whether it was this call that has decided. If not, the outcome is dropped: there was
	// a decision before, the scope was canceled, the Call has given up, or the runtime ends. With a
	// result of another type the message fails.
	Resolve(result any, err error) bool
	// Pass puts the message into the unit's mailbox after all, behind what is there. It reports
	// whether it was this call that has taken the message: that may have been canceled before, and
	// it fails if a limited mailbox refuses it. It does not wait for room.
	Pass() bool
}

// Addressee is one of the units of a message to several.
type Addressee struct {
	Kind  string // as Message.Kind
	Key   any    // as Message.Key
	Route Route  // nil without one
}

// Held is an outcome that is kept back. Any goroutine may call the methods; none waits.
type Held interface {
	// Release gives the outcome free: err, or what the operation has returned if err is nil. It may
	// be called before the operation has returned. It reports whether it was this call that has
	// decided: not if there was a call before, if the operation has panicked by then, or if the
	// runtime has ended and the message has a future. With nil what the operation has sent leaves
	// before the outcome is known, with err it is withdrawn.
	Release(err error) bool
	// Waits reports whether the outcome is that of another future, or holds futures that are open:
	// it would come some time after Release. It is known once the operation has returned: in the
	// interceptor, after Next, if that has returned nil.
	Waits() bool
	// Set keeps a value for the module, and Get returns it. Within the operation only.
	Set(value any)
	Get() any
}
