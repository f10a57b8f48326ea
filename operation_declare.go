package freerun

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"unsafe"
)

// declaration is where an operation is declared, and what it is called.
type declaration struct {
	name    string // the short one
	given   string // in the declaration
	full    string // with the import path: fullName
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

// Define gives op, an operation or a [ForkFunc], the function that it was declared without. An
// operation that sends to itself, directly or through others, is declared with a nil function
// first, because a package variable cannot depend on itself in Go.
//
//	var pass = freerun.Op[player, token, struct{}]("pass", nil)
//
//	var _ = freerun.Define(pass, freerun.NoResult(
//		func(c *freerun.Context, p *player, t token) error { return pass.Tell(c, p.next, t) }))
//
// fn has the type of the function that the constructor of op takes. Define returns fn, so that a
// package variable can hold the call. Call it before the operation is used, in a package variable
// as above or in an init function: other goroutines must not use the operation at the same time.
// Define panics if fn is nil, if the operation has a function, or if no constructor has made it.
func Define[F any](op interface{ giveFunction(fn F) }, fn F) F {
	op.giveFunction(fn)
	return fn
}

// giveFunction is [Define] for one operation.
func (d *definition[F]) giveFunction(fn F) {
	var of *declaration
	if d != nil {
		of = d.of
	}
	of.getsFunction(codeOf(fn))
	d.complete(fn)
}

// getsFunction notes where the operation gets its function, which has its code at an address.
func (d *declaration) getsFunction(code uintptr) {
	switch {
	case d == nil:
		panic("freerun: Define of an operation that was not declared; declare it with Op, FreeOp or another constructor")
	case code == 0:
		panic(fmt.Sprintf("freerun: Define of %s, declared at %s, with a nil function", d.name, d.place))
	case d.defined != "":
		panic(fmt.Sprintf("freerun: Define of %s, which has got a function already, at %s", d.name, d.defined))
	}
	_, d.defined = declarer()
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

// An operation has a name within the package that declares it. Two packages may both have a
// "deposit". The package is the one whose source calls Op, FreeOp or another constructor:
//
//   - A function that declares operations for other packages declares them in its own package, and
//     has to ask its callers for different names. So a name depends on the source of one package
//     alone: not on who calls it, nor on the order in which packages are initialized.
//   - The package of a program is main, as Go itself calls it. Operations whose full names are to
//     last, or which several programs share, belong into a package with a path.
//   - A test in package x_test declares in x_test, a test in package x in x.
//   - A vendored package has its import path, without the path of the vendor folder.
//
// The full name is the import path and the name, as in "example.org/shop/bank.deposit". It is for
// what outlives the process or leaves it: recordings, metrics, spans, tables of costs. The short
// name has only the last element of the path, as in "bank.deposit". It is for people: errors, logs,
// labels in profiles.

// shown has the full names of all operations by their short ones.
var shown sync.Map // string → string

// declare claims a name in the package that declares an operation or a kind, with constructor and
// types in info. It panics if the name is empty or taken.
func declare(name string, info OperationInfo) *declaration {
	in, place := declarer()
	info.Place = place
	short, full := claimIn(in, name, info)
	return &declaration{name: short, given: name, full: full, place: place}
}

func claimIn(in, name string, info OperationInfo) (short, full string) {
	if name == "" {
		panic("freerun: an operation or a kind needs a name, at " + info.Place)
	}
	full = in + "." + name
	info.Name = full
	if first, taken := declared.LoadOrStore(full, &info); taken {
		panic(&declaredTwice{in: in, name: name, first: first.(*OperationInfo), second: &info})
	}
	short = shortPath(in) + "." + name
	if _, taken := shown.LoadOrStore(short, full); taken {
		// Another package has the same last element. The operation that is declared second is
		// shown by its full name, so that no report is ambiguous.
		short = full
		shown.Store(short, full)
	}
	return short, full
}

// declaredTwice is the [ErrDeclaredTwice] of one name.
type declaredTwice struct {
	in, name      string
	first, second *OperationInfo
}

// Error tells package, name and both places.
func (e *declaredTwice) Error() string {
	again := ""
	if e.first.isKind() != e.second.isKind() {
		again = fmt.Sprintf(", first as %s, now as %s", e.first.article(), e.second.article())
	}
	if e.first.Place == e.second.Place {
		return fmt.Sprintf("freerun: package %s declares %s %q twice%s, both times at %s; "+
			"declare it once, as a package variable, and give each one of a loop or function a name of its own",
			e.in, e.second.sort(), e.name, again, e.first.Place)
	}
	return fmt.Sprintf("freerun: package %s declares %s %q twice%s, first at %s, now at %s",
		e.in, e.second.sort(), e.name, again, e.first.Place, e.second.Place)
}

// Is reports whether target is ErrDeclaredTwice.
func (*declaredTwice) Is(target error) bool { return target == ErrDeclaredTwice }

// fullName returns the full name of an operation, or name itself if that is no operation's short
// name: the name of a closure's function, for example.
func fullName(name string) string {
	if full, ok := shown.Load(name); ok {
		return full.(string)
	}
	return name
}

// declarer returns the import path and the place, file:line, of the innermost calling function that
// is not the package's own; of the package itself if there is none, while Go initializes it. The
// tests of this package are callers like others.
func declarer() (in, place string) {
	var calls [16]uintptr
	frames := runtime.CallersFrames(calls[:runtime.Callers(2, calls[:])])
	for {
		f, more := frames.Next()
		from := packageOf(f.Function)
		if from == "runtime" && in == ownPath {
			return in, place
		}
		in, place = from, fmt.Sprintf("%s:%d", f.File, f.Line)
		if in != ownPath || strings.HasSuffix(f.File, "_test.go") || !more {
			return in, place
		}
	}
}

// packageOf returns the import path of a function, whose name is one of package runtime:
// "example.org/bank.(*Account[...]).Close.func1". Dots in the last element of the path are escaped
// there.
func packageOf(function string) string {
	function, _, _ = strings.Cut(function, "[")
	last := strings.LastIndexByte(function, '/') + 1
	if dot := strings.IndexByte(function[last:], '.'); dot >= 0 {
		function = function[:last+dot]
	}
	if plain, err := url.PathUnescape(function); err == nil {
		return plain
	}
	return function
}

var (
	majorVersion  = regexp.MustCompile(`^v[0-9]+$`)
	majorVersions = regexp.MustCompile(`\.v[0-9]+$`)
)

// shortPath returns the last element of an import path, without a major version:
// "example.org/bank/v2" and "example.org/bank.v2" are bank.
func shortPath(in string) string {
	last := path.Base(in)
	if up := path.Dir(in); majorVersion.MatchString(last) && up != "." {
		last = path.Base(up)
	}
	return majorVersions.ReplaceAllString(last, "")
}

// NameOf returns the full name of an operation of any form, or of a kind: the import path of the
// package that declares it, a dot, and the name with which it is declared. Recordings, metrics and
// spans use it. Errors, logs and labels of profiles show the short form, with the last element of
// the path only.
func NameOf(o interface{ fullName() string }) string { return o.fullName() }

func (d *definition[F]) fullName() string { return d.of.full }
