package freerun

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"runtime"
	"strings"
	"sync"
)

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

var (
	// declared has the full names of all operations, and where each was declared.
	declared sync.Map // string → string, a file:line
	// shown has the full names of all operations by their short ones.
	shown sync.Map // string → string
)

// declare claims a name in the package that declares an operation. It panics if the name is empty
// or taken.
func declare(name string) *declaration {
	in, place := declarer()
	short, full := claimIn(in, name, place)
	return &declaration{name: short, full: full, place: place}
}

func claimIn(in, name, place string) (short, full string) {
	if name == "" {
		panic("freerun: an operation needs a name, at " + place)
	}
	full = in + "." + name
	if first, taken := declared.LoadOrStore(full, place); taken {
		panic(declaredTwice(in, name, first.(string), place))
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

func declaredTwice(in, name, first, second string) string {
	if first == second {
		return fmt.Sprintf("freerun: package %s declares operation %q twice, both times at %s; "+
			"declare an operation once, as a package variable, and give each one of a loop or function a name of its own", in, name, first)
	}
	return fmt.Sprintf("freerun: package %s declares operation %q twice, first at %s, now at %s", in, name, first, second)
}

// fullName returns the full name of an operation, or name itself if that is no operation's short
// name: the name of a closure's function, for example.
func fullName(name string) string {
	if full, ok := shown.Load(name); ok {
		return full.(string)
	}
	return name
}

// declarer returns the import path and the place, file:line, of the innermost calling function that
// is not the package's own. The tests of this package are callers like others.
func declarer() (in, place string) {
	var calls [16]uintptr
	frames := runtime.CallersFrames(calls[:runtime.Callers(2, calls[:])])
	for {
		f, more := frames.Next()
		in, place = packageOf(f.Function), fmt.Sprintf("%s:%d", f.File, f.Line)
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

// NameOf returns the full name of an operation of any form: the import path of the package that
// declares it, a dot, and the name with which it is declared. Recordings, metrics and spans use it.
// Errors, logs and labels of profiles show the short form, with the last element of the path only.
func NameOf(o interface{ fullName() string }) string { return o.fullName() }

func (o *operation[A, R]) fullName() string { return o.declared.full }
