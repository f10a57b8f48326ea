package freerun

import "fmt"

// ActivationError is the error of a message to a unit of a [Kind] whose state could not be made.
type ActivationError struct {
	Kind string // its short name
	Key  any
	Err  error // of the kind's function, or why that did not return
}

// Error tells kind, key and reason.
func (e *ActivationError) Error() string {
	return fmt.Sprintf("freerun: %s(%v) has no state: %v", e.Kind, e.Key, e.Err)
}

// Unwrap returns the error of the kind's function.
func (e *ActivationError) Unwrap() error { return e.Err }

// crowdedError is the error of a message to a passive unit of a kind of which too many are active.
type crowdedError struct {
	kind string
	most int
}

func (e *crowdedError) Error() string {
	return fmt.Sprintf("freerun: twice as many units of kind %s are active as MaxActive(%d) says, and all are in use", e.kind, e.most)
}

// Is reports whether target is ErrFull.
func (*crowdedError) Is(target error) bool { return target == ErrFull }
