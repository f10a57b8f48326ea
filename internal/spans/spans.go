// Package spans is what a module of traces gets from package freerun beside what interceptors are
// for: on which units an operation runs, and where the futures in its argument come from. The two
// sides meet here, so that this adds no exported name to those that programs use. They are of one
// version: this is no promise.
package spans

// Seam has the services of package freerun. I is *freerun.Invocation, which this package cannot
// name: it lies below package freerun. The interceptor itself calls them, before Next.
type Seam[I any] struct {
	// Unit returns the unit with number n of those that the operation runs on, in the order of its
	// arguments, and whether there is one.
	Unit func(i I, n int) (Unit, bool)
	// Answers reports whether the message has a future.
	Answers func(i I) bool
	// Sign leaves a value in the future of the operation, where Signs finds it as soon as the
	// future has its outcome. It does nothing for a message without a future.
	Sign func(i I, value any)
	// Signs returns the values that Sign has left in the futures in the argument, in the order in
	// which they lie there.
	Signs func(i I) []any
}

// Unit says which unit it is.
type Unit struct {
	Name string // as freerun.UnitName has given it, or the kind with the key; empty for none
	Kind string // the name of its kind; empty for a unit of none
	Key  string // the text of its key, if it is of a kind
}

// provided is a Seam. Provide alone writes it, during initialization.
var provided any

// Provide sets the result of For. Package freerun calls it once, when it is initialized.
func Provide[I any](s Seam[I]) { provided = s }

// For returns the argument of Provide. I is *freerun.Invocation.
func For[I any]() Seam[I] { return provided.(Seam[I]) }
