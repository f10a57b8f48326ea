package errorcode

import "slices"

// mostNames is the number of names that data may have.
const mostNames = 64

// decoded is an error that was data. It does not change.
type decoded struct {
	text  string
	names []string // registered or not, in order
	known []error  // the registered ones among them
}

// Error returns the text that the error had when it was encoded.
func (e *decoded) Error() string { return e.text }

// Unwrap returns the registered errors that the error is.
func (e *decoded) Unwrap() []error { return e.known }

// normal puts names in order, and leaves out what are no names and what are too many.
func normal(names []string) []string {
	names = slices.DeleteFunc(names, func(name string) bool { return !isName(name) })
	slices.Sort(names)
	names = slices.Compact(names)
	return names[:min(len(names), mostNames)]
}
