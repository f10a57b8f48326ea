package freerun

import (
	"fmt"
	"reflect"
)

// fullError is the [ErrFull] of one unit. It is made with the unit, so that a refusal allocates
// nothing. It keeps neither the unit nor its mailbox from being collected.
type fullError struct {
	unit  string // its name; empty if it has none
	state reflect.Type
	most  int64
}

// Error tells the unit by its name, or by the type of its state, and the limit.
func (e *fullError) Error() string {
	if e.unit != "" {
		return fmt.Sprintf("%v: unit %s, which has room for %d", ErrFull, e.unit, e.most)
	}
	return fmt.Sprintf("%v: a unit of %v, which has room for %d", ErrFull, e.state, e.most)
}

// Is reports whether target is ErrFull.
func (*fullError) Is(target error) bool { return target == ErrFull }

// foreignError is the [ErrOtherRuntime] of one message.
type foreignError struct {
	operation string // empty for an activity, and where it is not known
	unit      string // its name; empty if it has none
}

// Error tells the operation, and the unit if it has a name.
func (e *foreignError) Error() string {
	text := ErrOtherRuntime.Error()
	separator := ": "
	if e.operation != "" {
		text += separator + "operation " + e.operation
		separator = ", "
	}
	if e.unit != "" {
		text += separator + "unit " + e.unit
	}
	return text
}

// Is reports whether target is ErrOtherRuntime.
func (*foreignError) Is(target error) bool { return target == ErrOtherRuntime }

// naming returns err, the error of a message to u with operation. If it is [ErrOtherRuntime],
// naming adds the names of the unit and the operation.
func (u *unit) naming(err error, operation func() string) error {
	if err != ErrOtherRuntime {
		return err
	}
	return &foreignError{operation: operation(), unit: u.called()}
}
