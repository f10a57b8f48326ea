package freerun

import (
	"context"
	"time"

	"github.com/freerun-go/freerun/internal/atomics"
	"github.com/freerun-go/freerun/internal/goid"
	"github.com/freerun-go/freerun/internal/pad"
)

// Context is what every send goes through. An operation gets one, and sends through it on the fast path, as the processor
// that runs it; [Runtime.Context] is the one for ordinary goroutines.
//
// It is a [context.Context], so it goes straight into calls to databases and networks: Done is closed when the runtime
// gives up what has not ended (at Close, or at the deadline of Shutdown), and it never changes, so a library may keep it and
// use it from any goroutine for as long as it likes. Only sending depends on where it happens: a send through
// an operation's context from another goroutine, or after the operation has ended, is recognised and takes the path from outside.
//
// Any goroutine may call the methods; none waits. A Context must not be copied, and the zero Context is of no use.
type Context struct {
	rt   *Runtime
	seat atomics.RelaxedPointer[seat] // where its goroutine sends from; written by that goroutine only

	// Of the operation that runs with this context now; its goroutine's own.
	current   *letter
	forwarded any // the *result[R] that it has forwarded
	credit    int // how many small operations it may still run itself
	depth     int // how many of them run now, in one another
	forks     forks

	// For the error of a shutdown: whether an operation runs now, the kind of the last one, and its code for a closure.
	inside   atomics.RelaxedUintptr
	kind     atomics.RelaxedPointer[kind]
	function atomics.RelaxedUintptr
	_        pad.Line
}

var _ context.Context = (*Context)(nil)

// Runtime returns the runtime that the context sends in.
func (c *Context) Runtime() *Runtime { return c.rt }

// Deadline returns no deadline: a runtime has none.
func (c *Context) Deadline() (deadline time.Time, ok bool) { return time.Time{}, false }

// Done returns a channel that is closed when the runtime gives up what has not ended.
func (c *Context) Done() <-chan struct{} { return c.rt.scope.done }

// Err returns nil until Done is closed, then [context.Canceled].
func (c *Context) Err() error { return c.rt.scope.err() }

// Value returns nil: a context of the runtime carries no values.
func (c *Context) Value(any) any { return nil }

// AfterFunc arranges for f to be called in its own goroutine once Done is closed, and returns a function that stops that, as
// [context.AfterFunc] does. Package context finds this method, so that deriving a context from this one starts no goroutine.
func (c *Context) AfterFunc(f func()) (stop func() bool) { return c.rt.scope.afterFunc(f) }

// here returns the seat to send from: the one of c on the goroutine that is there, otherwise the one outside.
func (c *Context) here() *seat {
	s := c.seat.Load()
	if s.processor == nil || s.processor.Home() == goid.ID() {
		return s
	}
	return &c.rt.outside
}
