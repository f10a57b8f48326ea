package freerun

import (
	"reflect"
	"unsafe"

	"github.com/freerun-go/freerun/internal/scan"
)

// Operation is a named operation on units with state S: it takes an argument A, and returns an R or
// an error. Declare it once, with [Op], usually as a package variable. Any goroutine may send it.
type Operation[S, A, R any] struct {
	_ scan.Opaque
	operation[A, R]
	definition[func(c *Context, s *S, arg A) (R, error)]
}

// Op declares an operation. fn runs with the unit's state to itself, to its end, and must not wait:
// what it needs from others comes in as futures in its argument. It panics if the name is empty.
//
// A name belongs to the package whose source calls Op, so two packages may both have a "deposit".
// Op panics if the package has an operation of that name, and says where that is declared.
// [NameOf] returns the full name. Errors and logs show "bank.deposit", without the path of
// the package.
//
// If fn is nil, the operation gets its function later, with [Operation.Define]. That is for an
// operation that sends to itself, directly or through others. Until then each use of it panics.
func Op[S, A, R any](name string, fn func(c *Context, s *S, arg A) (R, error)) *Operation[S, A, R] {
	o := &Operation[S, A, R]{}
	o.declared = declare(name)
	o.declared.state = reflect.TypeFor[S]().String()
	o.define(o.declared, fn, func(fn func(c *Context, s *S, arg A) (R, error)) {
		o.invoke = func(c *Context, to unsafe.Pointer, arg A) (R, error) { return fn(c, stateOf[S](to), arg) }
		o.operation.complete(o.declared.name, nil)
	})
	return o
}

// Send sends the operation to u, with arg, and returns the future of its result at once. The
// operation starts when every future that can be reached from arg has an outcome; if one failed, it
// is not run, and fails with an [ArgumentError].
//
// The future fails with
//   - [ErrClosed] if the runtime takes no messages any more,
//   - [ErrOtherRuntime] if u is of another runtime than c,
//   - [ErrCanceled] if c's scope is canceled before the operation starts,
//   - [ErrFull] or [ErrStopped] if the unit's options say so,
//   - a [*PanicError] if the operation panics,
//   - and otherwise the error that the operation returns.
//
// Any goroutine may send; nothing waits, but for room in a mailbox with [WaitForRoom]. That wait
// fails with [ErrStalled] in a deterministic runtime in which there never is any room. One
// allocation, which holds arg and result. It panics if c or u is nil.
func (o *Operation[S, A, R]) Send(c *Context, u *Unit[S], arg A) Future[R] {
	return o.checked().send(c.checked(), u.checked(), arg)
}

// Tell is Send without a future: the result is dropped, and an error or panic of the operation is
// counted and logged. It returns ErrClosed, ErrOtherRuntime, ErrFull, an error that is ErrCanceled,
// or one that is [ErrStalled], as Send has it, if the message was refused. No allocation in steady
// state.
//
// An ordinary goroutine that is thousands of messages ahead of the receivers sleeps until some are
// done; an operation never does, nor after [Context.Block]. A unit that runs nothing meanwhile may
// be waiting for the sleeping goroutine, which therefore goes on: as long as nothing moves,
// messages take at most 16 MiB within some ten milliseconds, and 1.6 MB more a second. That is no
// limit of a mailbox: [MailboxLimit] is one.
func (o *Operation[S, A, R]) Tell(c *Context, u *Unit[S], arg A) error {
	return o.checked().tell(c.checked(), u.checked(), arg)
}

// FreeOperation is a named operation that touches no unit, and so runs anywhere, in parallel with
// all others. Declare it once, with [FreeOp]. Any goroutine may send it.
type FreeOperation[A, R any] struct {
	_ scan.Opaque
	operation[A, R]
	definition[func(c *Context, arg A) (R, error)]
}

// FreeOp declares a free operation. All that is said of [Op] holds, but that there is no state.
func FreeOp[A, R any](name string, fn func(c *Context, arg A) (R, error)) *FreeOperation[A, R] {
	return newFreeOp(name, fn, false)
}

func newFreeOp[A, R any](name string, fn func(c *Context, arg A) (R, error), small bool) *FreeOperation[A, R] {
	o := &FreeOperation[A, R]{}
	o.declared = declare(name)
	o.define(o.declared, fn, func(fn func(c *Context, arg A) (R, error)) {
		o.invoke = func(c *Context, _ unsafe.Pointer, arg A) (R, error) { return fn(c, arg) }
		if small {
			o.small = fn
		}
		o.operation.complete(o.declared.name, nil)
	})
	return o
}

// Send is as [Operation.Send], to no unit.
func (o *FreeOperation[A, R]) Send(c *Context, arg A) Future[R] {
	if op := o.checked(); op.small != nil {
		if f, done := op.tryNow(c.checked(), arg); done {
			return f
		}
	}
	return o.send(c, &c.checked().rt.free, arg)
}

// Tell is as [Operation.Tell], to no unit.
func (o *FreeOperation[A, R]) Tell(c *Context, arg A) error {
	return o.checked().tell(c, &c.checked().rt.free, arg)
}

func (o *Operation[S, A, R]) checked() *operation[A, R] {
	if o == nil || o.sent == nil {
		panic(unready{unsafe.Pointer(o), "Op"})
	}
	return &o.operation
}

func (o *FreeOperation[A, R]) checked() *operation[A, R] {
	if o == nil || o.sent == nil {
		panic(unready{unsafe.Pointer(o), "FreeOp"})
	}
	return &o.operation
}

func (c *Context) checked() *Context {
	if c == nil || c.rt == nil {
		panic("freerun: send through a nil Context; use the operation's, or Runtime.Context outside")
	}
	return c
}

func (u *Unit[S]) checked() *unit {
	if u == nil || u.unit.rt == nil {
		panic("freerun: send to a nil Unit; make units with NewUnit")
	}
	return &u.unit
}
