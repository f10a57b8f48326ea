package freerun

import (
	"cmp"
	"iter"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// OperationInfo is what a declaration says of an operation or a kind. [Operations] lists them.
type OperationInfo struct {
	// Name is the full name, as [NameOf] returns it.
	Name string
	// Constructor is the function that declared it: "Op", "ReadOp", "FreeOp", "SmallOp", "Op2",
	// "OpAll", or "NewKind" for a kind.
	Constructor string
	// Place is the file:line at which it is declared.
	Place string
	// States are the types of the states that it runs on: one for Op, ReadOp and OpAll, two for
	// Op2, none for free operations. A kind has the one of its units.
	States []reflect.Type
	// Arg is the type of the argument; of a kind, that of the keys.
	Arg reflect.Type
	// Result is the type of the result; nil for a kind.
	Result reflect.Type
}

// ownPath is the import path of this package.
var ownPath = reflect.TypeFor[OperationInfo]().PkgPath()

// declared has what is told of all operations and kinds, by their full names. No value changes.
var declared sync.Map // string → *OperationInfo

// Operations returns all operations and kinds that are declared so far, in the order of their
// names: for a page of what a program can do, for a check at its start that names or types are what
// another program, a store or a recording expects. Each package variable of a package has been
// declared when main begins. Operations without a name (closures) and those of the runtime itself
// are not listed.
//
// Any goroutine may call it; it does not wait. What is declared while the loop runs is missing. The
// loop may change what it gets. Cost: the list is copied and sorted for each loop.
func Operations() iter.Seq[OperationInfo] {
	return func(yield func(OperationInfo) bool) {
		var all []*OperationInfo
		for _, info := range declared.Range {
			if info := info.(*OperationInfo); !strings.HasPrefix(info.Name, ownPath+".") {
				all = append(all, info)
			}
		}
		slices.SortFunc(all, func(a, b *OperationInfo) int { return cmp.Compare(a.Name, b.Name) })
		for _, info := range all {
			told := *info
			told.States = slices.Clone(told.States)
			if !yield(told) {
				return
			}
		}
	}
}

func (i *OperationInfo) isKind() bool { return i.Constructor == "NewKind" }

func (i *OperationInfo) article() string {
	if i.isKind() {
		return "a kind"
	}
	return "an operation"
}

func (i *OperationInfo) sort() string {
	if i.isKind() {
		return "kind"
	}
	return "operation"
}
