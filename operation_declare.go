package freerun

import (
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/freerun-go/freerun/internal/record"
	"github.com/freerun-go/freerun/internal/scan"
)

// operation is the part that all operations have in common: named or closures, on units or free.
// It keeps what is made once per operation, so that a message need not make it: the vtables of its
// messages, and the plans that find the futures in its arguments and results.
type operation[A, R any] struct {
	declared *declaration // nil for closures; the first word: unready
	id       int
	// invoke calls the operation's function. to is the *unit that it runs on, or the *multi with
	// all its units; a free operation does not look at it.
	invoke func(c *Context, to unsafe.Pointer, arg A) (R, error)

	args    *scan.Plan // nil: an A cannot hold a future
	results *scan.Plan // nil: an R cannot hold a future

	sent    *vtable // of messages with a future, until they have run
	owing   *vtable // of those that have run, while the result holds an open future
	passing *vtable // of those that have run and have forwarded another future
	told    *vtable // of messages without a future

	// tolerant: the operation runs although the future in its argument failed. Only for arguments
	// with one future.
	tolerant bool
	several  bool // an operation on several units, whose told messages no depot counts
	// small is the function of a free operation that may be run at the send, nil for others
	// (inline.go). Called through invoke, one call more, inlined operations took 11% longer.
	small func(c *Context, arg A) (R, error)
}

// operations is the number of operations, closures of one type counted once.
var operations atomic.Int32

// complete makes what the operation needs only once, when its function is known. A closure has no
// name: code returns the function that a message of it runs.
func (o *operation[A, R]) complete(name string, code func(*message) uintptr) {
	number := uint16(0)
	if name != "" {
		number = record.Declare(record.Operation{Name: o.declared.full, State: o.declared.state})
	}
	o.id = int(operations.Add(1)) - 1
	o.args = scan.For(reflect.TypeFor[A]())
	o.results = scan.For(reflect.TypeFor[R]())
	_, o.tolerant = any(*new(A)).(interface{ tolerates() })
	o.makeVtables(identity{name: name, number: number, code: code})
}

// stateOf returns the state of a unit: u is its address.
func stateOf[S any](u unsafe.Pointer) *S { return &(*Unit[S])(u).state }
