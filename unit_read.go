package freerun

import (
	"reflect"
	"unsafe"

	"github.com/freerun-go/freerun/internal/scan"
)

// ReadOperation is a named operation that only looks at a unit's state. Declare it once, with
// [ReadOp]. Any goroutine may send it.
type ReadOperation[S, A, R any] struct {
	_ scan.Opaque
	reading[A, R]
	definition[func(c *Context, s *S, arg A) (R, error)]
}

// ReadOp declares an operation that only looks: fn must not write to the state, nor let go of a
// pointer into it, because several such operations of one unit may run at the same time on several
// processors. They never run beside an operation that is not a ReadOp or a [Read]. The order of the
// mailbox holds between the two sorts, so neither starves the other; among operations that run
// together there is no order. As nothing is written, a panic in fn is no fault of the unit
// ([RestartOnPanic]), and a unit is not held back for what fn sends ([MailboxLimit]). All else that
// is said of [Op] holds.
func ReadOp[S, A, R any](name string, fn func(c *Context, s *S, arg A) (R, error)) *ReadOperation[S, A, R] {
	o := &ReadOperation[S, A, R]{}
	o.declared = declare(name)
	o.declared.state = reflect.TypeFor[S]().String()
	o.define(o.declared, fn, func(fn func(c *Context, s *S, arg A) (R, error)) {
		o.invoke = func(c *Context, to unsafe.Pointer, arg A) (R, error) { return fn(c, stateOf[S](to), arg) }
		o.reading.complete(o.declared.name, nil)
	})
	return o
}

// Send is as [Operation.Send].
func (o *ReadOperation[S, A, R]) Send(c *Context, u *Unit[S], arg A) Future[R] {
	return o.checked().send(c.checked(), u.checked(), arg)
}

func (o *ReadOperation[S, A, R]) checked() *reading[A, R] {
	if o == nil || o.admitted == nil {
		panic(unready{unsafe.Pointer(o), "ReadOp"})
	}
	return &o.reading
}

// Read is [Do] for a function that only looks at the state: fn must not write to the state, nor
// let go of a pointer into it, because several such functions may run on one unit at the same
// time. They never run beside other operations, and are in the unit's order with them. See
// [ReadOp].
func Read[S, R any](c *Context, u *Unit[S], fn func(c *Context, s *S) (R, error)) Future[R] {
	if fn == nil {
		panic("freerun: Read with a nil function")
	}
	o := closureOf[reading[func(*Context, *S) (R, error), R]](func(c *Context, to unsafe.Pointer, fn func(*Context, *S) (R, error)) (R, error) {
		c.function.Store(codeOf(fn))
		return fn(c, stateOf[S](to))
	})
	return o.send(c.checked(), u.checked(), fn)
}

// reading is an operation that only looks: the part of a [ReadOperation] that does not depend on
// the type of the state.
type reading[A, R any] struct {
	operation[A, R]
	admitted *vtable // of messages that the unit's owner has let in
}

// complete makes the parts of the operation that are needed once.
func (o *reading[A, R]) complete(name string, code func(*message) uintptr) {
	o.operation.complete(name, code)
	o.makeReadingVtables(o.sent.identity)
}
