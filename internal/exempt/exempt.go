// Package exempt knows the functions that must not be interrupted by other activities: those with
// //freerun:uncooperative in their doc comments, of which package activity/uncooperative hears.
//
// What has such functions imports that package, and so this one. Nothing here is initialized by
// code, nor in what it imports: so they change nothing in the order in which a program's packages
// are initialized.
package exempt

import "sync/atomic"

// noted are the names, a copy for each call of Note.
var noted atomic.Pointer[[]string]

// Note notes the names of functions, as stack traces have them, but for what follows the name of a
// function for its type parameters and its literals. Any goroutine may call it.
func Note(names ...string) {
	for {
		before := noted.Load()
		all := names
		if before != nil {
			all = append((*before)[:len(*before):len(*before)], names...)
		}
		if noted.CompareAndSwap(before, &all) {
			return
		}
	}
}

// Any reports whether a function was noted. Any goroutine may call it.
func Any() bool { return noted.Load() != nil }

// Has reports whether a function was noted, or is a literal in one that was. Any goroutine may call
// it. It costs a comparison for each name.
func Has(function string) bool {
	all := noted.Load()
	if all == nil {
		return false
	}
	for _, name := range *all {
		n := len(name)
		switch {
		case len(function) < n || function[:n] != name:
		case len(function) == n, function[n] == '.', function[n] == '[', function[n] == '-':
			return true
		}
	}
	return false
}
