package freerun

import (
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/freerun-go/freerun/internal/record"
)

// operation is what all operations are underneath: named or closures, on units or free. It has what is made once so that a
// message need not make it: the kinds of its letters, the plans for the deep scan.
type operation[A, R any] struct {
	name    string
	state   string // the type of the state of its units, if there is one
	id      int
	onUnit  func(c *Context, u *unit, arg A) (R, error) // one of the two
	onNone  func(c *Context, arg A) (R, error)
	args    *plan   // nil: an A cannot hold a future
	results *plan   // nil: an R cannot hold a future
	called  *vtable // letters with a future, until they are run
	owing   *vtable // run, and their result holds a future
	passing *vtable // run, and forwarded another future
	told    *vtable // letters without a future
	// tolerant says that a failed future in the argument counts as resolved, and the operation is run. For arguments with one future.
	tolerant bool
	small    bool // a free operation that may be run where it is sent
}

var (
	// declared has the names of all operations, so that each means one thing, here and on other machines.
	declared   sync.Map // string → struct{}
	operations atomic.Int32
)

// declare completes the operation under a name of its own.
func (o *operation[A, R]) declare(name string) {
	claim(name)
	o.complete(name, nil)
}

func claim(name string) {
	if name == "" {
		panic("freerun: an operation needs a name")
	}
	if _, taken := declared.LoadOrStore(name, struct{}{}); taken {
		panic("freerun: an operation named " + name + " exists already")
	}
}

// complete makes what the operation needs only once. A closure has no name, and code tells which function a letter is.
func (o *operation[A, R]) complete(name string, code func(*message) uintptr) {
	number := uint16(0)
	if name != "" {
		number = record.Declare(record.Operation{Name: name, State: o.state})
	}
	o.name = name
	o.id = int(operations.Add(1)) - 1
	o.args = planFor(reflect.TypeFor[A]())
	o.results = planFor(reflect.TypeFor[R]())
	o.called = newVtable(vtable{name: name, number: number, code: code, wake: o.wakeSend, fail: o.failSend, late: o.sendNow, unsent: o.failUnsent, dropArgument: o.dropArgument}, o.runSend)
	o.owing = newVtable(vtable{name: name, number: number, code: code, wake: o.wakeOwing}, nil)
	o.passing = newVtable(vtable{name: name, number: number, code: code, wake: o.wakePassing}, nil)
	o.told = newVtable(vtable{name: name, number: number, code: code, wake: o.wakeTell, fail: o.failTell, recycle: o.recycleTell}, o.runTell)
}

// call is a message with an argument and a future.
type sendMessage[A, R any] struct {
	result[R]
	arg A
}

// note is a message with an argument and no future.
type tellMessage[A any] struct {
	message
	arg A
}

func sendMessageOf[A, R any](l *message) *sendMessage[A, R] {
	return (*sendMessage[A, R])(unsafe.Pointer(l))
}

func tellMessageOf[A any](l *message) *tellMessage[A] { return (*tellMessage[A])(unsafe.Pointer(l)) }

func stateOf[S any](u *unit) *S { return &(*Unit[S])(unsafe.Pointer(u)).state }
