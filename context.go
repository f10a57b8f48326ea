package freerun

import (
	"context"
	"time"

	"github.com/freerun-go/freerun/internal/atomics"
	"github.com/freerun-go/freerun/internal/goid"
	"github.com/freerun-go/freerun/internal/pad"
	"github.com/freerun-go/freerun/queue"
	"github.com/freerun-go/freerun/sched"
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
	rt *Runtime
	// processor is nil outside. All that follows is the processor's own: no other goroutine touches it, but for what is
	// atomic or relaxed.
	processor *sched.Processor
	_         pad.Line // contexts of two processors may lie side by side
	current   *letter  // the letter whose operation runs now
	forwarded any      // the *result[R] that the running operation has forwarded
	woken     queue.Chain
	waking    bool
	letters   letterCache
	counters  counters

	// For the error of a shutdown: whether an operation runs now, the kind of the last one, and its code for a closure.
	inside   atomics.RelaxedUintptr
	kind     atomics.RelaxedPointer[kind]
	function atomics.RelaxedUintptr
	_        pad.Line
}

// counters of one processor, or of one stripe of the border. One writer at a time.
type counters struct {
	sent, ran, failed, abandoned, lost, panics atomics.RelaxedUint64
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

// here returns the context to send through: c itself on the goroutine that it belongs to, otherwise the one from outside.
func (c *Context) here() *Context {
	if c.processor == nil || c.processor.Home() == goid.ID() {
		return c
	}
	return &c.rt.outside
}

// refuses returns why a message to u cannot be sent through c, if so. For one from outside that is looked at once more when it is
// counted (border.go); here it keeps those who come late from being counted at all.
func (c *Context) refuses(u *unit) error {
	if u.rt != c.rt {
		return ErrOtherRuntime
	}
	phase := c.rt.phase.Load()
	if phase == running || phase == draining && c.processor != nil {
		return nil
	}
	return ErrClosed
}

// begin is called before an operation is run; false if the runtime has given up what is queued.
func (c *Context) begin(l *letter, k *kind) bool {
	if c.rt.phase.Load() >= aborting {
		return false
	}
	c.current = l
	if c.kind.Load() != k {
		c.kind.Store(k)
	}
	c.inside.Store(1)
	c.processor.Spend()
	return true
}

// end is called after an operation was run. It returns what the operation forwarded.
func (c *Context) end() (forwarded any) {
	c.current = nil
	c.inside.Store(0)
	if c.forwarded != nil {
		forwarded, c.forwarded = c.forwarded, nil
	}
	return forwarded
}

// wake goes on with all letters of a list, newest first, in the order in which they came into it. What that
// resolves in turn is appended and done by the outermost call, so a chain of any length needs no stack.
func (c *Context) wake(newest *queue.Node) {
	if c.waking {
		c.woken.PushNewestFirst(newest)
		return
	}
	c.waking = true
	if newest.Next() == nil { // most often: one waits
		l := letterOf(newest)
		l.kind().wake(c, l)
	} else {
		c.woken.PushNewestFirst(newest)
	}
	for n := c.woken.PopFront(); n != nil; n = c.woken.PopFront() {
		l := letterOf(n)
		l.kind().wake(c, l)
	}
	c.waking = false
}

// countFailed counts a message of rt, which need not be this context's, that ended with err instead of being run to its end. n is 1, or
// minusOne to take that back.
func (c *Context) countFailed(rt *Runtime, err error, n uint64) {
	_, started := err.(*PanicError)
	abandoned := !started && n == 1 && rt.phase.Load() >= aborting
	if c.at(rt) {
		c.counters.failed.Add(n)
		if abandoned {
			c.counters.abandoned.Add(n)
		}
		return
	}
	rt.border.failed.Add(n)
	if abandoned {
		rt.border.abandoned.Add(n)
	}
}

// countRan counts a message of rt that was run to its end, and whose outcome is known. n is as for countFailed.
func (c *Context) countRan(rt *Runtime, n uint64) {
	if c.at(rt) {
		c.counters.ran.Add(n)
	} else {
		rt.border.ran.Add(n)
	}
}

const minusOne = ^uint64(0)

// at reports whether c is the context of a processor of rt.
func (c *Context) at(rt *Runtime) bool { return c.processor != nil && c.rt == rt }
