package freerun

import (
	"context"
	"runtime/trace"
	"time"

	"github.com/freerun-go/freerun/internal/activityhost"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/goid"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// Context is the handle that every send goes through. It carries a runtime, a scope, a priority,
// and the values of [Context.WithValue].
// Each operation gets one and sends through it on the fast path, as the processor that runs it.
// Ordinary goroutines send through [Runtime.Context].
//
// Context implements [context.Context], so it goes straight into calls to databases and networks.
// Done is closed when the scope of the operation is canceled ([Runtime.Scope]), and in any case
// when the runtime gives up work that has not ended: at Close, or at the deadline of Shutdown.
// ([Runtime.Draining] tells of a Shutdown when it begins.) As a context.Context it never changes,
// so a library may keep it and use it from any goroutine for as long as it likes. Only sending
// depends on the place: a send through an operation's context from another goroutine, or after the
// operation has ended, is recognised and takes the path of ordinary goroutines.
//
// A message that is sent through a context belongs to the scope of that context, and so does all
// that follows from the message.
//
// Any goroutine may call the methods; none waits. A Context must not be copied, and the zero
// Context is of no use.
type Context struct {
	//lint:ignore U1000 its method makes a Context a place where activities start
	activityPlace
	rt  *Runtime
	key *contextKey // scope, priority and values; nil: no scope, priority Normal, no values
	// worker is the worker that the context's goroutine sends from: see here. Only that goroutine
	// writes it. In the contexts of ordinary goroutines (Runtime.context, contextKey.outside) it is
	// Runtime.outside, for good.
	worker atomics.RelaxedPointer[worker]

	// State of the operation that runs with this context now. Its goroutine owns it.

	current   *message                        // the running message; nil between operations
	lineage   atomics.RelaxedPointer[lineage] // the lineage of current
	forwarded any                             // the *result[R] that the operation has forwarded
	// seen is the address of current, or of the activity, if its begin was recorded; otherwise 0.
	seen   uintptr
	credit int   // how many inlined operations current may still run
	marks  uint8 // what remains to be done when current ends: observe.go

	// Read by a shutdown from its own goroutine, to name the operations that have not returned.

	inside   inside                         // what runs: context_inside.go
	kind     atomics.RelaxedPointer[vtable] // the vtable of the last operation
	function atomics.RelaxedUintptr         // the code of the last operation, for a closure

	// forks comes after the fields above: each operation reads its first field too. The rest of it
	// is read when the operation forks.
	forks  forks
	title  title         // the title of an activity
	held   *held         // what keeps the outcome of the running operation back; nil for most
	region *trace.Region // the region of an execution trace, nil while there is none

	// Never changed while operations run, and seldom read.

	sender sender // of the sends through the context; it has no ctx
	// impatient is the context with the same key and worker that NoWait returns, once made.
	impatient atomics.Pointer[Context]
}

// apart is a context on cache lines of its own. Contexts of scopes are not padded: they are
// short-lived, and each processor allocates its own.
type apart struct {
	Context
	_ pad.Line
}

var _ context.Context = (*Context)(nil)

// Runtime returns the runtime that the context belongs to.
func (c *Context) Runtime() *Runtime { return c.rt }

// Scope returns the scope of messages that are sent through the context, nil if they have none.
func (c *Context) Scope() *Scope {
	if c.key == nil {
		return nil
	}
	return c.key.scope
}

// WithScope returns a context for sends under scope s, with c's priority and values. An operation
// that calls WithScope on its own context sends through the result on the fast path. It panics if s
// is nil, or belongs to another runtime; [Runtime.Context] leads out of all scopes.
func (c *Context) WithScope(s *Scope) *Context {
	if s.checked().rt != c.checked().rt {
		panic("freerun: WithScope with a scope of another runtime")
	}
	return c.onward(c.key.keyFor(c.rt, s, c.priority()))
}

// NoWait returns a context for sends from where c is, with c's scope, priority and values, that
// never wait and are never held back: where a send would have to wait for room, or where the unit
// that sends would be held back for it ([WaitForRoom]), the message is refused with [ErrFull], as
// by a mailbox with [Reject]. So Tell returns ErrFull, and the future of a Send fails with it, and
// the program decides what to do: drop the message, keep it and go on when there is room ([Room]),
// or slow down whoever has asked for it.
//
// It is for all forms of sends: through the context, Send, Tell, [Do] and reads never wait.
// [Operation.Call] waits for the outcome, but not for room. [Keyed.Submit] does not wait.
// [Operation.Every] leaves an instant out at which the mailbox is full, and reports that. Tell by
// an ordinary goroutine that is far ahead of the receivers does not sleep either, so nothing bounds
// what such a goroutine may pile up in a mailbox without a limit.
//
// The refusal is the answer to this send, so a scope does not count it as its failure. Messages
// that follow from a send have no part in it: the operation sends through its own context again. A
// message that has to wait for futures, or for a time ([Operation.SendAfter]), is not refused when
// it is ready, if the mailbox has WaitForRoom: nobody waits with it. Operations on several units
// take no room, and are never refused for lack of it.
//
// Contexts are made once and kept, so nothing is allocated in steady state. Any goroutine may call
// NoWait; it does not wait. It panics if c is nil.
func (c *Context) NoWait() *Context {
	if c.checked().sender.noWait {
		return c
	}
	at := c.here().contextFor(c.key)
	w := at.worker.Load()
	last := at.impatient.Load()
	if last != nil && last.worker.Load() == w {
		return last
	}
	n := w.newContext(at.key)
	n.sender.noWait = true
	at.impatient.CompareAndSwap(last, n)
	return n
}

// std returns the context of package context that the methods of [context.Context] delegate to.
func (c *Context) std() context.Context {
	c.mustBeMade()
	if s := c.Scope(); s != nil {
		return s.linked()
	}
	return c.rt.ctx
}

// mustBeMade panics for a nil or zero Context. The methods of [context.Context] call it.
func (c *Context) mustBeMade() {
	if c == nil || c.rt == nil {
		panic("freerun: a nil or zero Context; use the operation's, or Runtime.Context outside")
	}
}

// Deadline returns the deadline of the context that the scope was made with. Without a scope there
// is none.
func (c *Context) Deadline() (deadline time.Time, ok bool) { return c.std().Deadline() }

// Done returns a channel that is closed when the scope is canceled, or when the runtime gives up
// work that has not ended.
func (c *Context) Done() <-chan struct{} { return c.std().Done() }

// Err returns nil until Done is closed, and then the reason, as [context.Context] says.
// [context.Cause] returns the cause that was given to [Scope.Cancel], and [ErrClosed] for the end
// of the runtime.
func (c *Context) Err() error { return c.std().Err() }

// Value returns the value for key that travels with the context ([Context.WithValue]), or else that
// of the context that the scope was made with; nil if there is none. It looks at one value after
// another, as package context does.
func (c *Context) Value(key any) any {
	c.mustBeMade()
	switch key.(type) {
	case scopeKey:
		return c.Scope()
	case valueKey:
		return c
	}
	if v, found := c.key.valuedOf().value(key); found {
		return v
	}
	// Package context's own key is answered here too: deriving from this context starts no
	// goroutine.
	return c.std().Value(key)
}

// AfterFunc arranges for f to be called in its own goroutine once Done is closed, and returns a
// function that stops that, as [context.AfterFunc] does. It panics if f is nil.
func (c *Context) AfterFunc(f func()) (stop func() bool) {
	if f == nil { // refused here: later, its goroutine would panic, and no caller could recover
		panic("freerun: AfterFunc with a nil function")
	}
	return context.AfterFunc(c.std(), f)
}

// onward returns the context with key k for the goroutine that may send through c.
func (c *Context) onward(k *contextKey) *Context {
	if k == nil && c.here().keeping() != nil {
		k = c.rt.keepingKey()
	}
	if c.sender.noWait {
		return c.here().contextFor(k).NoWait()
	}
	return c.here().contextFor(k)
}

// here returns the worker to send from: c's worker if the caller is the goroutine of its processor,
// otherwise the worker of ordinary goroutines.
func (c *Context) here() *worker {
	w := c.worker.Load()
	if w.processor == nil || w.processor.Home() == goid.ID() {
		return w
	}
	return &c.rt.outside
}

// title is the name of the activity that runs with a context now, nil if it has none.
type title = atomics.RelaxedPointer[string]

// operation returns the name of the operation that runs with c now, empty between operations, and
// if c is nil. Any goroutine may call it.
func (c *Context) operation() string {
	if c == nil {
		return ""
	}
	if what, _ := c.inside.read(); what == 0 {
		return ""
	}
	return c.lastOperation()
}

// lastOperation returns the name of the operation or activity that runs with c, or ran last.
func (c *Context) lastOperation() string {
	if title := c.title.Load(); title != nil {
		return *title
	}
	return c.innermost()
}

// innermost is lastOperation, but for the name that an activity may have: so it is that of the
// operation which an activity has inlined.
func (c *Context) innermost() string {
	switch k := c.kind.Load(); {
	case k == nil: // the first operation of c begins at this moment
		return ""
	case k.name == "":
		return functionName(c.function.Load())
	default:
		return k.name
	}
}

// runs notes which activity runs with the context.
func (c *Context) runs(on *activityhost.Stack) {
	if c.function.Load() != on.Code || c.title.Load() != on.Title {
		c.function.Store(on.Code)
		c.title.Store(on.Title)
	}
}
