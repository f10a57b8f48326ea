package freerun

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/freerun-go/freerun/internal/scan"
	"github.com/freerun-go/freerun/internal/sched"
)

// ReadOperation is a named operation that only looks at a unit's state. Declare it once, with
// [ReadOp]. Any goroutine may send it.
type ReadOperation[S, A, R any] struct {
	_ scan.Opaque
	reading[A, R]
}

// ReadOp declares an operation that only looks: fn must not write to the state, nor let go of a
// pointer into it, because several such operations of one unit may run at the same time on several
// processors. They never run beside an operation that is not a ReadOp or a [Read]. The order of the
// mailbox holds between the two sorts, so neither starves the other; among operations that run
// together there is no order. As nothing is written, a panic in fn is no fault of the unit
// ([RestartOnPanic]), and a unit is not held back for what fn sends ([MailboxLimit]). All else that
// is said of [Op] holds.
func ReadOp[S, A, R any](name string, fn func(c *Context, s *S, arg A) (R, error)) *ReadOperation[S, A, R] {
	if fn == nil {
		panic("freerun: ReadOp with a nil function: " + name)
	}
	o := &ReadOperation[S, A, R]{}
	o.onUnit = func(c *Context, u *unit, arg A) (R, error) { return fn(c, stateOf[S](u), arg) }
	o.name, o.full, o.place = claimName(name)
	o.state = reflect.TypeFor[S]().String()
	o.complete(o.name, nil)
	return o
}

// Send is as [Operation.Send].
func (o *ReadOperation[S, A, R]) Send(c *Context, u *Unit[S], arg A) Future[R] {
	return o.checked().send(c.checked(), u.checked(), arg)
}

func (o *ReadOperation[S, A, R]) checked() *reading[A, R] {
	if o == nil || o.looking == nil {
		panic("freerun: send of an operation that was not declared; declare it with ReadOp")
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
	t := reflect.TypeFor[sendMessage[func(*Context, *S) (R, error), R]]()
	known, ok := readings.Load(t)
	if !ok {
		o := &reading[func(*Context, *S) (R, error), R]{}
		o.onUnit = func(c *Context, u *unit, fn func(*Context, *S) (R, error)) (R, error) {
			c.function.Store(codeOf(fn))
			return fn(c, stateOf[S](u))
		}
		o.complete("", func(l *message) uintptr { return codeOf(sendMessageOf[func(*Context, *S) (R, error), R](l).arg) })
		known, _ = readings.LoadOrStore(t, o)
	}
	return known.(*reading[func(*Context, *S) (R, error), R]).send(c.checked(), u.checked(), fn)
}

// readings maps the reflect.Type of sendMessage[F, R] to the *reading[F, R] that all functions of
// type F share when they are sent with Read.
var readings sync.Map

// reading is an operation that only looks: the part of a [ReadOperation] that does not depend on
// the type of the state.
type reading[A, R any] struct {
	operation[A, R]
	looking *vtable // of messages that the unit's owner has let in
}

// complete makes the parts of the operation that are needed once.
func (o *reading[A, R]) complete(name string, code func(*message) uintptr) {
	o.operation.complete(name, code)
	o.called.looks = true
	o.called.take = func(s *worker, u *unit, l *message) taken { return u.admitReader(s, l, o.looking) }
	o.looking = newVtable(vtable{name: name, number: o.called.number, code: code, looks: true, fail: o.failLooking}, o.runLooking)
}

func (o *reading[A, R]) runLooking(p *sched.Processor, t *sched.Task) {
	s := workerOf(p)
	m := (*sendMessage[A, R])(unsafe.Pointer(t))
	c := s.begin(&m.message, o.looking, &m.promised)
	if c == nil {
		o.failLooking(s, &m.message, m.refusal())
		return
	}
	v, err := o.onUnit(c, m.unit, m.arg)
	m.arg = *new(A)
	s, forwarded := c.end()
	o.settle(s, &m.result, v, err, forwarded)
	m.unit.readerEnded(s)
}

// failLooking ends a reader that was let in, and that will not be run or whose operation did not
// return.
func (o *reading[A, R]) failLooking(s *worker, l *message, err error) {
	o.failSend(s, l, err)
	l.unit.readerEnded(s)
}
