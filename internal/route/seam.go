package route

// Seam has the services of package freerun for routes. O is freerun.UnitOption, K is
// freerun.KindOption, C is *freerun.Context, and I is *freerun.Invocation: this package lies below
// package freerun and cannot name them.
type Seam[O, K, C, I any] struct {
	// Option returns the option that gives a unit, or all units of a kind, a route.
	Option func(r Route) O
	// Routed returns the option that gives all units of a kind a route, which [Declared] has then.
	Routed func(r Route) K
	// Stored returns the option that gives a kind a store, which is its route, too.
	Stored func(s Store[C, I]) K
	// Hold keeps the outcome of the operation back that an interceptor is called around: when the
	// interceptors have returned, the message stays open until [Held.Release], and the unit goes
	// on. Only one interceptor may call it, before or after Next; a second call panics. If the
	// operation panics, its outcome is that panic, at once: an interceptor that recovers the panic
	// decides otherwise. The message has begun: neither its scope nor its Call ends it.
	//
	// What the operation sends from then on to units without a route, or what any read sends, is
	// kept, too: it leaves right before the outcome that the operation has returned, and is
	// withdrawn with any other. Branches of joins run one after another.
	Hold func(i I) Held
	// Again runs an operation again, or for the first time, whose outcome Hold keeps back, with the
	// interceptors inside of the one that has called Hold, and returns its error. What it returns
	// then is its outcome once it is released. c is the context of the function of [Unit.Run], on
	// the same unit. The operation has returned before, and was not released. What it has sent
	// before is withdrawn.
	Again func(c C, h Held) error
	// Panicked returns the *freerun.PanicError of an operation whose outcome is kept back, and
	// counts the panic, which was recovered.
	Panicked func(h Held, value any, stack []byte) error
	// Release is [Held.Release] in the operation that runs with c, on its goroutine. What waits for
	// the outcome goes on where the operation runs, which costs less than to bring it there.
	Release func(c C, h Held, err error) bool
	// State returns a pointer to the state of the unit on which the operation runs, an *S; nil if
	// the unit has no route, and for an operation on several. The interceptor may read and write
	// the state, as the operation may.
	State func(i I) any
	// Unit returns the unit on which the operation runs, nil unless its kind has a store, and for
	// an operation on several.
	Unit func(i I) Unit[C]
	// Units and States are Unit and State for an operation on several units, or on one, in the
	// order of the arguments.
	Units  func(i I) []Unit[C]
	States func(i I) []any
	// RunAll is [Unit.Run] for several units of one runtime, of which none may occur twice: fn is
	// called with their states, in a turn of all of them. Seam.Again is for that turn, too.
	RunAll func(units []Unit[C], fn func(c C, states []any), failed func(err error))
	// Running returns what keeps the outcome of the operation back that runs with c, nil if nothing
	// does: as Message.Sender does for what that operation sends.
	Running func(c C) Held
	// Soon has t run with a nil state on a processor of a runtime, a *freerun.Runtime, outside of
	// any scope; else it is as [Unit.Run] without a unit. Many of them run at once.
	Soon func(rt any, t Turn[C])
	// Find returns the unit of a key in a runtime, a *freerun.Runtime, by the full name of its
	// kind, which has a store. key decodes the key into a *K.
	Find func(rt any, kind string, key func(key any) error) (Unit[C], error)
	// Of returns u, a *freerun.Unit[S], as the store has it, nil unless its kind has a store.
	Of func(u any) Unit[C]
	// Carried returns the value for a key that travels with c, and whether there is one. It does
	// not look at the context of a scope, as the method Value does.
	Carried func(c C, key any) (value any, found bool)
	// Senders returns what Message.Senders returns of a message that the operation sends that runs
	// with c.
	Senders func(c C) []string
	// Form returns the operation's form.
	Form func(i I) Form
	// Mark returns the mark of the delivery that the running message is, nil for others.
	Mark func(i I) any
	// Kinds returns all kinds, and Operations all operations on units that have a name, declared so
	// far.
	Kinds, Operations func() []Declared
	// Deliver sends an operation to units of kinds in a runtime, a *freerun.Runtime, outside of any
	// scope. Their routes are not asked. If it returns an error, Done is not called.
	Deliver func(rt any, d *Delivery) error
	// StopSome makes the active units of a kind passive, by its full name, whose keys are of those:
	// as Kind.Stop does. done is called once all are, from any goroutine.
	StopSome func(rt any, kind string, of func(key any) bool, done func())
}

// provided is a Seam. Provide alone writes it, during initialization.
var provided any

// Provide sets the result of For. Package freerun calls it once, when it is initialized.
func Provide[O, K, C, I any](s Seam[O, K, C, I]) { provided = s }

// For returns the argument of Provide. O is freerun.UnitOption, K is freerun.KindOption, C is
// *freerun.Context, and I is *freerun.Invocation.
func For[O, K, C, I any]() Seam[O, K, C, I] { return provided.(Seam[O, K, C, I]) }
