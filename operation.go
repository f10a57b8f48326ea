package freerun

import (
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/freerun-go/freerun/internal/promise"
	"github.com/freerun-go/freerun/internal/record"
	"github.com/freerun-go/freerun/internal/route"
	"github.com/freerun-go/freerun/internal/scan"
	"github.com/freerun-go/freerun/internal/sched"
)

// Operation is a named operation on units with state S: it takes an argument A, and returns an R or
// an error. Declare it once, with [Op], usually as a package variable. Any goroutine may send it.
type Operation[S, A, R any] struct {
	_  scan.Opaque
	op operation[A, R]
	definition[func(c *Context, s *S, arg A) (R, error)]
}

// Op declares an operation. fn runs with the unit's state to itself, to its end, and must not wait:
// it gets the results of other operations as futures in its argument. It panics if the name is
// empty.
//
// A name belongs to the package whose source calls Op, so two packages may both have a "deposit".
// Op panics if the package has an operation or a kind of that name, with an error that is
// [ErrDeclaredTwice] and says where that is declared.
// [NameOf] returns the full name. Errors and logs show "bank.deposit", without the path of
// the package.
//
// If fn is nil, the operation gets its function later, with [Define]. That is for an
// operation that sends to itself, directly or through others. Until then each use of it panics.
func Op[S, A, R any](name string, fn func(c *Context, s *S, arg A) (R, error)) *Operation[S, A, R] {
	o := &Operation[S, A, R]{}
	d := declare(name, OperationInfo{
		Constructor: "Op", States: []reflect.Type{reflect.TypeFor[S]()}, Arg: reflect.TypeFor[A](), Result: reflect.TypeFor[R](),
	})
	d.state = reflect.TypeFor[S]().String()
	o.op.core.declared = d
	o.define(d, fn, func(fn func(c *Context, s *S, arg A) (R, error)) {
		o.op.invoke = func(c *Context, to unsafe.Pointer, arg A) (R, error) { return fn(c, stateOf[S](to), arg) }
		complete(&o.op, d.name, nil)
		operationsByName.Store(d.full, &o.op.core)
	})
	return o
}

// NoResult makes the function of an operation that has no result but its error: of [Op], [ReadOp]
// and [OpAll], and for [Define].
//
//	var rename = freerun.Op("rename", freerun.NoResult(
//		func(_ *freerun.Context, u *user, name string) error {
//			u.name = name
//			return nil
//		}))
//
// The result is a struct{}. It costs a call. NoResult of nil is nil.
func NoResult[S, A any](fn func(c *Context, s S, arg A) error) func(c *Context, s S, arg A) (struct{}, error) {
	if fn == nil {
		return nil
	}
	return func(c *Context, s S, arg A) (struct{}, error) { return struct{}{}, fn(c, s, arg) }
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
//   - an [*ActivationError] if u is of a [Kind], and its state cannot be made,
//   - a [*PanicError] if the operation panics,
//   - and otherwise the error that the operation returns.
//
// Any goroutine may send. Send does not wait, except for room in a mailbox with [WaitForRoom]; in a
// deterministic runtime that wait fails with [ErrStalled] when nothing is left to run. Cost: one
// allocation, which holds arg and result. It panics if c or u is nil.
func (o *Operation[S, A, R]) Send(c *Context, u *Unit[S], arg A) Future[R] {
	return sendTo(o.checked(), c.checked(), u.checked(), arg)
}

// Tell is Send without a future: the result is dropped, and an error or panic of the operation is
// counted and logged. If the message is refused, Tell returns the error with which the future of a
// Send would fail: [ErrClosed], [ErrOtherRuntime], [ErrFull], [ErrCanceled] or [ErrStalled]; test
// with [errors.Is]. A message to a stopped unit is not refused: it fails in its turn, and is lost
// ([LostMessage]). No allocation in steady state.
//
// An ordinary goroutine that is thousands of messages ahead of the receivers sleeps until some are
// done. An operation never sleeps there, not even after [Context.Block]. A receiver that runs
// nothing meanwhile may be waiting for the sleeping goroutine; so the goroutine wakes and goes on.
// As long as the receiver runs nothing, its messages may take 16 MiB within some ten milliseconds,
// and then 1.6 MB more each second. So this is no limit of memory: [MailboxLimit] sets one.
func (o *Operation[S, A, R]) Tell(c *Context, u *Unit[S], arg A) error {
	return tellTo(o.checked(), c.checked(), u.checked(), arg)
}

// FreeOperation is a named operation that touches no unit, and so runs anywhere, in parallel with
// all others. Declare it once, with [FreeOp]. Any goroutine may send it.
type FreeOperation[A, R any] struct {
	_  scan.Opaque
	op operation[A, R]
	definition[func(c *Context, arg A) (R, error)]
}

// FreeOp declares a free operation. All that is said of [Op] holds, except that fn gets no state.
func FreeOp[A, R any](name string, fn func(c *Context, arg A) (R, error)) *FreeOperation[A, R] {
	return newFreeOp(name, fn, false)
}

func newFreeOp[A, R any](name string, fn func(c *Context, arg A) (R, error), small bool) *FreeOperation[A, R] {
	o := &FreeOperation[A, R]{}
	constructor := "FreeOp"
	if small {
		constructor = "SmallOp"
	}
	d := declare(name, OperationInfo{Constructor: constructor, Arg: reflect.TypeFor[A](), Result: reflect.TypeFor[R]()})
	o.op.core.declared = d
	o.define(d, fn, func(fn func(c *Context, arg A) (R, error)) {
		o.op.invoke = func(c *Context, _ unsafe.Pointer, arg A) (R, error) { return fn(c, arg) }
		if small {
			o.op.small = fn
		}
		complete(&o.op, d.name, nil)
	})
	return o
}

// Send is as [Operation.Send], to no unit.
func (o *FreeOperation[A, R]) Send(c *Context, arg A) Future[R] {
	op := o.checked()
	if op.small != nil {
		if f, done := tryNow(op, c.checked(), arg); done {
			return f
		}
	}
	return sendTo(op, c, &c.checked().rt.free, arg)
}

// Tell is as [Operation.Tell], to no unit.
func (o *FreeOperation[A, R]) Tell(c *Context, arg A) error {
	return tellTo(o.checked(), c, &c.checked().rt.free, arg)
}

func (o *Operation[S, A, R]) checked() *operation[A, R] {
	if o == nil || o.op.core.sent == nil {
		panic(unready{unsafe.Pointer(o), "Op"})
	}
	return &o.op
}

func (o *FreeOperation[A, R]) checked() *operation[A, R] {
	if o == nil || o.op.core.sent == nil {
		panic(unready{unsafe.Pointer(o), "FreeOp"})
	}
	return &o.op
}

func (c *Context) checked() *Context {
	if c == nil || c.rt == nil {
		panic("freerun: send through a nil Context; use the operation's, or Runtime.Context outside")
	}
	return c
}

func (u *Unit[S]) checked() *unit {
	if u == nil || u.unit.rt == nil {
		panic("freerun: send to a nil or zero Unit; make units with NewUnit")
	}
	return &u.unit
}

// operation is the part that all operations have in common, named or closures, on units or free:
// the core, and what has to know the types of argument and result.
//
// Go compiles what is generic once for each operation, and a method also if nobody calls it. So
// what needs no types belongs to the core, and generic structs name their first field instead of
// embedding it: each would get all its methods once more.
type operation[A, R any] struct {
	core core // must be first: unready reads its declaration (operation_declare.go)
	// invoke calls the operation's function. to is the *unit that it runs on, or the *multi with
	// all its units; a free operation does not look at it.
	invoke func(c *Context, to unsafe.Pointer, arg A) (R, error)
	// small is the function of a free operation that may be run at the send, nil for others
	// (inline.go). Called through invoke, one call more, inlined operations took 11% longer.
	small func(c *Context, arg A) (R, error)
}

// core is the part of an operation that needs no types. It keeps what is made once per operation,
// so that a message need not make it: the vtables of its messages, and the plans that find the
// futures in its arguments and results.
type core struct {
	declared *declaration // nil for closures; must be first
	id       int

	argPlan    *scan.Plan // nil: an A cannot hold a future
	resultPlan *scan.Plan // nil: an R cannot hold a future

	sent    *vtable // of messages with a future, until they have run
	owing   *vtable // of those that have run, while the result holds an open future
	passing *vtable // of those that have run and have forwarded another future
	told    *vtable // of messages without a future

	placed     *vtable // of sent messages that are placed; nil unless several
	placedTold *vtable // of told messages that are placed; nil unless several
	admitted   *vtable // of messages that the unit's owner has let in; nil unless it only reads

	// tolerant: the operation runs although the future in its argument failed. Only for arguments
	// with one future.
	tolerant bool
	// gate is the edge of messages to several units that wait for these (kind_cycle.go); nil for
	// other operations.
	gate  *promise.Cell
	route route.Operation

	typed typed
	// newSend returns a message that was not sent, with an argument that fill has filled.
	newSend func(fill func(arg any) error) (*promised, error)
	// newSeveral is newSend for a message to these units; nil unless several.
	newSeveral  func(units []*unit, fill func(arg any) error) (*promised, *multi, error)
	arg, result reflect.Type // A and R
	// Offsets: of the argument in a message with a future, of the argument in one without, and of
	// the result.
	argAt, toldArgAt, resultAt uintptr
}

// typed is an operation, as its core needs it where types matter. operation implements it.
type typed interface {
	// runSend and runTell run a message in each form but the form around.
	runSend(p *sched.Processor, t *sched.Task)
	runTell(p *sched.Processor, t *sched.Task)
	// invocation returns a new invocation with the argument at arg, to be called on to. kept says
	// that its outcome is likely to be kept back.
	invocation(to, arg unsafe.Pointer, kept bool) *Invocation
	// run calls the function of an invocation.
	run(c *Context, i *Invocation) error
	// setResult copies the result at from to that of m.
	setResult(m *promised, from unsafe.Pointer)
	// sourceOf returns the promise of the future that an operation has forwarded, a *result[R]; nil
	// for anything else.
	sourceOf(forwarded any) *promised
}

func (o *core) argOf(m *message) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(m), o.argAt) }
func (o *core) toldArgOf(m *message) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(m), o.toldArgAt)
}

func (o *core) resultOf(m *promised) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(m), o.resultAt) }

// argIn returns where the argument of a message with a future, or of one that is told, is.
func (o *core) argIn(m *message, told bool) unsafe.Pointer {
	if told {
		return o.toldArgOf(m)
	}
	return o.argOf(m)
}

// The next two go by way of reflection: a message that runs clears its argument itself, except with
// interceptors around it.

func (o *core) dropArgument(m *message)     { zero(o.arg, o.argOf(m)) }
func (o *core) dropToldArgument(m *message) { zero(o.arg, o.toldArgOf(m)) }

// zero clears the value of type t at p.
func zero(t reflect.Type, p unsafe.Pointer) { reflect.NewAt(t, p).Elem().SetZero() }

// operations is the number of operations, closures of one type counted once.
var operations atomic.Int32

// complete makes what the operation needs only once, when its function is known. A closure has no
// name: code returns the function that a message of it runs.
func complete[A, R any](o *operation[A, R], name string, code func(*message) uintptr) {
	k := &o.core
	k.typed = o
	k.arg, k.result = reflect.TypeFor[A](), reflect.TypeFor[R]()
	k.argAt, k.toldArgAt = unsafe.Offsetof(sendMessage[A, R]{}.arg), unsafe.Offsetof(tellMessage[A]{}.arg)
	k.resultAt = unsafe.Offsetof(result[R]{}.value)
	k.newSend = func(fill func(arg any) error) (*promised, error) {
		m := &sendMessage[A, R]{}
		return &m.result.promised, fill(&m.arg)
	}
	_, k.tolerant = any(*new(A)).(interface{ tolerates() })
	k.complete(name, code)
}

func (o *core) complete(name string, code func(*message) uintptr) {
	number := uint16(0)
	if name != "" {
		number = record.Declare(record.Operation{Name: o.declared.full, State: o.declared.state})
		o.route.Name = o.declared.full
	}
	o.id = int(operations.Add(1)) - 1
	o.argPlan = scan.For(o.arg)
	o.resultPlan = scan.For(o.result)
	o.makeVtables(identity{name: name, number: number, code: code})
}

// stateOf returns the state of a unit: u is its address.
func stateOf[S any](u unsafe.Pointer) *S { return &(*Unit[S])(u).state }
