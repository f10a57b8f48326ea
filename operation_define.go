package freerun

import (
	"fmt"
	"unsafe"
)

// declaration is where an operation is declared, and what it is called.
type declaration struct {
	name    string // the short one
	full    string // the full name: operation_name.go
	place   string // of the declaration, file:line
	state   string // the type of the units' state; empty without a unit
	defined string // the place at which the operation got its function; empty before
}

// definition is the part of an operation that gives the operation its function, of type F.
type definition[F any] struct {
	of       *declaration
	complete func(fn F)
}

// define gives a new operation its function, unless that is nil.
func (d *definition[F]) define(of *declaration, fn F, complete func(fn F)) {
	d.of, d.complete = of, complete
	if codeOf(fn) != 0 {
		of.defined = of.place
		complete(fn)
	}
}

// Define gives the operation the function that it was declared without: an operation that sends to
// itself, directly or through others, is declared with a nil function first, because a package
// variable cannot depend on itself in Go.
//
//	var pass = freerun.Op[player, token, struct{}]("pass", nil)
//
//	var _ = pass.Define(func(c *freerun.Context, p *player, t token) (struct{}, error) {
//		return struct{}{}, pass.Tell(c, p.next, t)
//	})
//
// fn has the type of the function that the constructor takes. Define returns fn, so that a package
// variable can hold the call. Call it before the operation is used, in a package variable as above
// or in an init function: other goroutines must not use the operation at the same time. Define
// panics if fn is nil, if the operation has a function, or if no constructor has made it.
func (d *definition[F]) Define(fn F) F {
	switch {
	case d == nil || d.of == nil:
		panic("freerun: Define of an operation that was not declared; declare it with Op, FreeOp or another constructor")
	case codeOf(fn) == 0:
		panic(fmt.Sprintf("freerun: Define of %s, declared at %s, with a nil function", d.of.name, d.of.place))
	case d.of.defined != "":
		panic(fmt.Sprintf("freerun: Define of %s, which has got a function already, at %s", d.of.name, d.of.defined))
	}
	_, d.of.defined = declarer()
	d.complete(fn)
	return fn
}

// unready is the panic of a use of an operation without a function. It makes its text when it
// is printed: the check of each send must stay small enough that Go inlines it.
type unready struct {
	op          unsafe.Pointer // nil, or an operation, whose first word is its *declaration
	constructor string
}

func (u unready) Error() string {
	if u.op != nil {
		if d := *(**declaration)(u.op); d != nil {
			return fmt.Sprintf("freerun: use of %s, declared at %s, before it has a function; give it one with Define", d.name, d.place)
		}
	}
	return "freerun: use of an operation that was not declared; declare it with " + u.constructor
}
