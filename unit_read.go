package freerun

import (
	"reflect"
	"unsafe"

	"github.com/freerun-go/freerun/internal/scan"
)

// ReadOperation is a named operation that only looks at a unit's state. Declare it once, with
// [ReadOp]. Any goroutine may send it.
type ReadOperation[S, A, R any] struct {
	_  scan.Opaque
	op operation[A, R]
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
	d := declare(name, OperationInfo{
		Constructor: "ReadOp", States: []reflect.Type{reflect.TypeFor[S]()}, Arg: reflect.TypeFor[A](), Result: reflect.TypeFor[R](),
	})
	d.state = reflect.TypeFor[S]().String()
	o.op.core.declared = d
	o.define(d, fn, func(fn func(c *Context, s *S, arg A) (R, error)) {
		o.op.invoke = func(c *Context, to unsafe.Pointer, arg A) (R, error) { return fn(c, stateOf[S](to), arg) }
		completeReading(&o.op, d.name, nil)
		operationsByName.Store(d.full, &o.op.core)
	})
	return o
}

// Send is as [Operation.Send].
func (o *ReadOperation[S, A, R]) Send(c *Context, u *Unit[S], arg A) Future[R] {
	return sendTo(o.checked(), c.checked(), u.checked(), arg)
}

func (o *ReadOperation[S, A, R]) checked() *operation[A, R] {
	if o == nil || o.op.core.admitted == nil {
		panic(unready{unsafe.Pointer(o), "ReadOp"})
	}
	return &o.op
}

// Read is [Do] for a function that only looks at the state: fn must not write to the state, nor
// let go of a pointer into it, because several such functions may run on one unit at the same
// time. They never run beside other operations, and are in the unit's order with them. See
// [ReadOp].
func Read[S, R any](c *Context, u *Unit[S], fn func(c *Context, s *S) (R, error)) Future[R] {
	if fn == nil {
		panic("freerun: Read with a nil function")
	}
	o := knownClosure[func(*Context, *S) (R, error), R](&readClosures)
	if o == nil {
		o = closureOf(&readClosures, completeReading, func(c *Context, to unsafe.Pointer, fn func(*Context, *S) (R, error)) (R, error) {
			c.function.Store(codeOf(fn))
			return fn(c, stateOf[S](to))
		})
	}
	return sendTo(o, c.checked(), u.checked(), fn)
}

// completeReading is complete for an operation that only looks.
func completeReading[A, R any](o *operation[A, R], name string, code func(*message) uintptr) {
	complete(o, name, code)
	o.core.makeReadingVtables()
}

// Source:     our own, on the owner queue; the order of readers and writers is that of J.
//             Mellor-Crummey and M. Scott's fair lock (Scalable reader-writer synchronization,
//             1991), but no goroutine spins here
// Sketch:     the owner, with a reader: readers += 2; then give the mailbox up, or take the next
//             message; the reader is a task of its own
//             the owner, with any other message: if readers is 0, run it. Otherwise left =
//             message; readers += 1; if readers was not 0, go away
//             a reader, in the end: readers −= 2; if readers is 1, the reader owns the unit:
//             readers = 0, queue the unit; left comes first
// Invariants: I1 Only the owner adds, so a 0 that the owner has seen stays.
//             I2 While readers is odd, the unit has no owner and is in no queue, and neither its
//             mailbox nor the claim of its priority mailboxes is given up.
//             I3 A message that must be alone runs only while readers is 0.
// Progress:   each step is wait-free. A reader that does not end keeps a message that must be alone
//             waiting, as an operation that does not end keeps all others.
// Fairness:   Messages leave the mailbox in its order. A reader that comes behind a message that
//             must be alone runs after it, and the other way round, so neither starves.
// Publish:    a reader's accesses to the state come before its last step on readers; the owner's
//             step that finds 0 comes after that. left is written before the owner's step, and read
//             by the next owner
// Cost:       two atomic operations for a reader; one load for every other message to a unit with
//             a unitExt
// Checked by: TestExploreReaders…, TestRead…

const (
	oneReader uint32 = 2
	leftHere  uint32 = 1 // the unit is left to the last reader
)

// admitReader lets a reader in, as a task with the vtable admitted. For the unit's owner, which has
// dequeued the message.
func (u *unit) admitReader(w *worker, m *message, admitted *vtable) taken {
	x := u.extend()
	if x.takeOut(w, m) {
		return onward
	}
	u.operations.Add(1)
	x.readers.Add(oneReader)
	m.become(admitted)
	if x.has().around != nil {
		m.surround()
	}
	if x.mailboxes() == nil && u.mailbox.GiveUp() {
		w.hand(u.rt, &m.Task)
		return gone
	}
	w.queueReady(u.rt, m.priority(), &m.Task)
	return onward
}

// readerEnded ends a reader. The last reader has the unit go on if the unit was left to it.
func (u *unit) readerEnded(w *worker) {
	x := u.ext.Load()
	if x.readers.Add(^(oneReader - 1)) != leftHere {
		return
	}
	x.readers.Store(0)
	if x.mailboxes() != nil {
		u.goOn(w)
	} else {
		u.queue(w)
	}
}

// alone reports whether m, which the caller has dequeued as the unit's owner, may have the unit to
// itself now. If not, m is kept and the caller no longer owns the unit: the last reader sees to
// it.
func (x *unitExt) alone(m *message) bool {
	if x.readers.Load() == 0 {
		return true
	}
	x.left.Set(m)
	if x.readers.Add(leftHere) != leftHere {
		return false
	}
	x.readers.Store(0) // the last reader has ended in this moment
	x.left.Clear()
	return true
}
