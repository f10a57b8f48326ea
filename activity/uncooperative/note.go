// Package uncooperative is told the functions that must not be interrupted by other activities:
// those with //freerun:uncooperative in their doc comments. `freerun build` has each package tell
// their names. Programs need not call it.
package uncooperative

import "github.com/freerun-go/freerun/internal/exempt"

// Note notes the names of functions, as stack traces have them, but for what follows the name of a
// function for its type parameters and its literals. A package calls it while it is initialized;
// any goroutine may. The result is for that: a value of no size.
func Note(names ...string) struct{} {
	exempt.Note(names...)
	return struct{}{}
}
