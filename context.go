package freerun

import (
	"context"
	"runtime/trace"
	"time"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/goid"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// Context is what every send goes through. An operation gets one, and sends through it on the fast path, as the processor
// that runs it; [Runtime.Context] is the one for ordinary goroutines.
//
// It is a [context.Context], so it goes straight into calls to databases and networks: Done is closed when the scope of the
// operation is canceled ([Runtime.Scope]), and in any case when the runtime gives up what has not ended (at Close, or at the deadline
// of Shutdown; [Runtime.Draining] tells of a Shutdown when it begins). As a context it never changes, so a library may keep it and use it from any goroutine for as long as it likes. Only
// sending depends on where it happens: a send through an operation's context from another goroutine, or after the operation has
// ended, is recognised and takes the path from outside.
//
// What is sent through a context belongs to the scope of that context, and so does all that follows from it.
//
// Any goroutine may call the methods; none waits. A Context must not be copied, and the zero Context is of no use.
type Context struct {
	//lint:ignore U1000 its method makes this type a place
	activityPlace
	rt     *Runtime
	key    *contextKey                    // scope and priority; nil: the runtime's own, and none
	worker atomics.RelaxedPointer[worker] // where its goroutine sends from; written by that goroutine only

	// Of the operation that runs with this context now; its goroutine's own.
	current   *message
	lineage   atomics.RelaxedPointer[lineage] // of the current one
	forwarded any                             // the *result[R] that it has forwarded
	seen      uintptr                         // the address of the current one, or of the activity, if its begin was recorded
	credit    int                             // how many small operations it may still run itself
	depth     int32                           // how many of them run now, in one another
	marks     uint8                           // what is to be done at the current one's end; see observe.go

	// For the error of a shutdown: whether an operation runs now, the kind of the last one, and its code for a closure.
	inside   atomics.RelaxedUintptr
	kind     atomics.RelaxedPointer[vtable]
	function atomics.RelaxedUintptr

	forks  forks         // its first field is looked at for each operation, as the above are; the rest when something is forked
	title  title         // of an activity
	region *trace.Region // of an execution trace
}

// apart is a context that no other processor's lies next to. Those of scopes are not: they live for a short time, and each processor makes its own.
type apart struct {
	Context
	_ pad.Line
}

var _ context.Context = (*Context)(nil)

// Runtime returns the runtime that the context sends in.
func (c *Context) Runtime() *Runtime { return c.rt }

// Scope returns the scope of what is sent through the context, nil if it is in none.
func (c *Context) Scope() *Scope {
	if c.key == nil {
		return nil
	}
	return c.key.scope
}

// In returns the context for sends under scope s from where c is: an operation that sends through it does so on the fast path, as through
// its own. It keeps c's priority. It panics if s is of another runtime.
func (c *Context) In(s *Scope) *Context {
	if s.checked().rt != c.checked().rt {
		panic("freerun: In with a scope of another runtime")
	}
	return c.here().leading(c.rt.realmOf(s, c.Priority()))
}

// std returns the context of package context that is behind this one.
func (c *Context) std() context.Context {
	c.mustBeMade()
	if s := c.Scope(); s != nil {
		return s.linked()
	}
	return c.rt.ctx
}

// mustBeMade panics for a context that no runtime has made, where it is used as one of package
// context.
func (c *Context) mustBeMade() {
	if c == nil || c.rt == nil {
		panic("freerun: a nil or zero Context; use the operation's, or Runtime.Context outside")
	}
}

// Deadline returns that of the context that the scope was made with; there is none without scope.
func (c *Context) Deadline() (deadline time.Time, ok bool) { return c.std().Deadline() }

// Done returns a channel that is closed when the scope is canceled, or the runtime gives up what has not ended.
func (c *Context) Done() <-chan struct{} { return c.std().Done() }

// Err returns nil until Done is closed, and then why, as [context.Context] says. [context.Cause] tells the cause that was given to
// [Scope.Cancel], and [ErrClosed] for the end of the runtime.
func (c *Context) Err() error { return c.std().Err() }

// Value returns that of the context that the scope was made with, nil without scope.
func (c *Context) Value(key any) any {
	c.mustBeMade()
	switch key.(type) {
	case scopeKey:
		return c.Scope()
	case valueKey:
		return c
	}
	return c.std().Value(key) // what package context asks for too, so that deriving from this context starts no goroutine
}

// AfterFunc arranges for f to be called in its own goroutine once Done is closed, and returns a function that stops that, as
// [context.AfterFunc] does. It panics if f is nil.
func (c *Context) AfterFunc(f func()) (stop func() bool) {
	if f == nil { // which would be found by its goroutine, beyond recover
		panic("freerun: AfterFunc with a nil function")
	}
	return context.AfterFunc(c.std(), f)
}

// here returns the seat to send from: the one of c on the goroutine that is there, otherwise the one outside.
func (c *Context) here() *worker {
	s := c.worker.Load()
	if s.processor == nil || s.processor.Home() == goid.ID() {
		return s
	}
	return &c.rt.outside
}
