package route

import "reflect"

// Store keeps the states of the units of a kind while they are passive, and longer than their
// process lives. C is *freerun.Context, I is *freerun.Invocation. It is the [Route] of the units,
// too.
type Store[C, I any] interface {
	Route
	// Load reads the state of a unit that is to become active into into, an *S. It calls done once,
	// from any goroutine, perhaps before it returns. If nothing was found the function of the kind
	// makes the state; with an error the activation fails. It must not wait.
	Load(u Unit[C], into any, done func(found bool, err error))
	// Leave is called when the state of an active unit is about to be dropped: by a Kind.Stop or a
	// Shutdown if stopped is set, after the function of OnStop, otherwise because the unit is idle,
	// or others need the room, before that. It reports whether the state may go; if not, the unit
	// stays active. In the unit's turn.
	Leave(u Unit[C], state any, stopped bool) bool
	// Around is the outermost interceptor of the units' options.
	Around(c C, i I) error
}

// Unit is a unit of a kind with a [Store].
type Unit[C any] interface {
	// Kind returns the full name of the kind, and Runtime the *freerun.Runtime.
	Kind() string
	Runtime() any
	Key() any
	// Local is what the store keeps with the unit, until that is collected. Load, Leave, Around and
	// the function of Run use it: one of them at a time runs for a unit, except reads, which must
	// not change it.
	Local() any
	SetLocal(v any)
	// Run has fn called with the unit's state, an *S, in the unit's turn: as an operation that no
	// route and no interceptor sees. failed is called in its place, from any goroutine, if the
	// state cannot be made, or the runtime ends. Any goroutine may call Run; it does not wait.
	Run(fn func(c C, state any), failed func(err error))
	// RunTurn is Run without closures. In an operation from is its context, which saves the way to
	// a processor; nil elsewhere.
	RunTurn(from C, t Turn[C])
	// HasMore reports whether messages wait in the unit's mailbox. In the unit's turn.
	HasMore() bool
	// Drop drops the state, as after a panic: the next message makes it again. In the function of
	// Run alone, as its last step.
	Drop()
}

// Turn has the functions of a [Unit.Run].
type Turn[C any] interface {
	Run(c C, state any)
	Failed(err error)
}

// Declared describes a kind, or an operation on units with a name.
type Declared struct {
	Name  string       // the full name
	Given string       // the name in the declaration
	Place string       // file:line
	State reflect.Type // S; of an operation on several units that of the first
	Key   reflect.Type // K of a kind; nil for an operation
	Arg   reflect.Type // A of an operation; nil for a kind
	// Result is R of an operation; nil for a kind.
	Result reflect.Type
	// Form is that of an operation.
	Form Form
	// Store is the store of a kind, a Store, or its route; nil without one.
	Store any
	// Active returns how many units of a kind are active in a runtime, a *freerun.Runtime, or about
	// to be. Any goroutine may call it. Nil for an operation.
	Active func(rt any) int
}

// Place names a unit of a kind.
type Place struct {
	Kind string              // the full name
	Key  func(key any) error // decodes the key into a *K
}

// Value is a value that travels with a message.
type Value struct{ Key, Value any }

// Delivery is an operation that a store, or a route, sends to a unit of a kind, or to several.
type Delivery struct {
	To        []Place
	Operation string              // the full name
	Arg       func(arg any) error // decodes the argument into an *A
	Mark      any                 // what Seam.Mark returns; nil for none
	// Values are those of its context.
	Values []Value
	// Senders is the chain that has come with it, as Message.Senders has it.
	Senders []string
	// Revocable has Deliver set Revoke, which has the message fail unless it has begun.
	Revocable bool
	Revoke    func(err error)
	// Done is told the outcome once, from any goroutine: the result is an *R, nil with an error.
	Done func(result any, err error)
}
