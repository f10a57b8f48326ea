package freerun

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/promise"
)

// The named errors. A future that fails because another one failed wraps the error of that one:
// test with [errors.Is] and [errors.As].
var (
	// ErrClosed says that the runtime was closed, or is being closed, before the message was run.
	ErrClosed = promise.ErrClosed
	// ErrWouldBlock says that a future has no outcome yet and that the caller cannot wait for it
	// here. An operation passes a future on, as an argument or with Forward or Then. An activity
	// waits with [Future.Await]. All other waits are for ordinary goroutines; in an activity they
	// return an error that names what to do there: test with [errors.Is].
	ErrWouldBlock = activity.ErrWouldBlock
	// ErrFull says that the mailbox of a unit was full: see [MailboxLimit]. The error of a refusal
	// names the unit: test with [errors.Is].
	ErrFull = errors.New("freerun: the unit's mailbox is full")
	// ErrStopped says that the unit runs no more operations, because it was told to stop ([Stop]),
	// or one panicked ([StopOnPanic]). The error of a message to the unit is a [*StoppedError].
	ErrStopped = errors.New("freerun: the unit is stopped")
	// ErrInUse says that a unit was not retired, because there were more messages for it: see
	// [Retire]. The error names the unit if it has a name: test with [errors.Is].
	ErrInUse = errors.New("freerun: the unit is in use")
	// ErrCycle says that the result of an operation came to wait for itself.
	ErrCycle = promise.ErrCycle
	// ErrCanceled says that a message was not started, or that an activity's wait ended, because
	// the scope was canceled; or that a message was not sent, because its [Timer] was stopped. The
	// error names the scope and wraps the cause: test with [errors.Is].
	ErrCanceled = errors.New("freerun: canceled")
	// ErrNoFuture says that a zero Future was used, which no send returned.
	ErrNoFuture = errors.New("freerun: a zero Future, which no send returned, has no outcome")
	// ErrOtherRuntime says that a message to a unit was sent through the context of a runtime to
	// which the unit does not belong. The error of a refusal names unit and operation where they
	// have names: test with [errors.Is].
	ErrOtherRuntime = errors.New("freerun: the unit belongs to another runtime than the context")
	// ErrSameUnit says that an operation on several units was sent to the same unit twice.
	ErrSameUnit = errors.New("freerun: the same unit twice in an operation on several units")
	// ErrForward is the error that Forward returns, for its operation to return. An operation that
	// returns it without having called Forward, or that calls Forward and does not return it,
	// fails with it.
	ErrForward = errors.New("freerun: the error of Forward must be returned by the operation that called it, and by no other")
	// ErrDeclaredTwice says that a package declares two operations, two kinds, or an operation and
	// a kind, by one name. The second declaration panics with an error that names both places: test
	// with [errors.Is].
	ErrDeclaredTwice = errors.New("freerun: declared twice")
	// ErrGoexit is the error that a PanicError wraps if the operation ended its goroutine with
	// runtime.Goexit.
	ErrGoexit = errors.New("freerun: the operation called runtime.Goexit")
)

// errValueOpen is the value with which Value panics.
var errValueOpen = fmt.Errorf("freerun: Value of a future that has no outcome yet and was not waited for: "+
	"only a future in the argument is, not one in a closure, a channel, or a struct with a lock (%w)", ErrWouldBlock)

// errBranchForwards is the error of Forward in a branch or a loop, where it is not clear whose
// outcome to replace.
var errBranchForwards = fmt.Errorf("freerun: Forward in a branch of a join or in a loop: only the operation itself forwards (%w)", ErrForward)

// errInside is the error, inside an operation, of functions that end a runtime or wait for it.
var errInside = fmt.Errorf("freerun: an operation must not wait for the runtime or end it; a goroutine of its own may (%w)", ErrWouldBlock)

// PanicError is the error of a future whose operation panicked, or called runtime.Goexit: Value is
// [ErrGoexit] then.
type PanicError struct {
	Operation string // its short name, or the name of the function for a closure
	// Unit is the name of the unit ([UnitName]), with the key of one of a kind. It is empty for a
	// unit without a name, for several units, and for none.
	Unit string
	// Value is the value that it panicked with. It must not be changed: a logger that takes more
	// than a moment still looks at it ([Logger]).
	Value any
	Stack []byte // as debug.Stack returns it

	branch bool // a join panics with this error
}

// Error tells the operation, the unit and the value, without the stack.
func (e *PanicError) Error() string {
	if e.Unit != "" {
		return fmt.Sprintf("freerun: operation %s on %s panicked: %v", e.Operation, e.Unit, e.Value)
	}
	return fmt.Sprintf("freerun: operation %s panicked: %v", e.Operation, e.Value)
}

// Unwrap returns the value that the operation panicked with if that is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// StoppedError is the error of messages to a unit that was stopped. It is an [ErrStopped], and
// wraps the error that stopped the unit.
type StoppedError struct {
	Err      *PanicError // the error that stopped the unit; nil if it was told to stop
	Restarts int         // how many times the unit had been restarted
}

// Error returns a text with the error that stopped the unit.
func (e *StoppedError) Error() string {
	if e.Err == nil {
		return ErrStopped.Error()
	}
	if e.Restarts > 0 {
		return fmt.Sprintf("freerun: the unit is stopped, after %d restarts: %v", e.Restarts, e.Err)
	}
	return fmt.Sprintf("freerun: the unit is stopped: %v", e.Err)
}

// Unwrap returns [ErrStopped] and the error that stopped the unit, if there is one.
func (e *StoppedError) Unwrap() []error {
	if e.Err == nil {
		return []error{ErrStopped}
	}
	return []error{ErrStopped, e.Err}
}

// ArgumentError is the error of a future whose operation was not run because a future in its
// argument failed, or whose result holds a future that failed. Its text tells the chain of sends
// through which the failure came.
type ArgumentError struct {
	Operation string // the operation that received the failure, by its short name
	Err       error  // the error with which the future failed
	links     int    // sends that the failure came through, this one included
}

// mostLinks is how many links of a chain an ArgumentError tells; those behind are left out.
const mostLinks = 16

// received returns the error of an operation that received a future which failed with err.
func received(operation string, err error) error {
	links := 1
	if before, ok := err.(*ArgumentError); ok {
		if links = before.links + 1; links > mostLinks {
			return &ArgumentError{Operation: operation, Err: before.Err, links: links}
		}
	}
	return &ArgumentError{Operation: operation, Err: err, links: links}
}

// Error tells the operations through which the failure came, the last one first.
func (e *ArgumentError) Error() string {
	if e.links > mostLinks {
		return fmt.Sprintf("%s, after %d sends, received: %v", e.Operation, e.links-mostLinks+1, e.Err)
	}
	return fmt.Sprintf("%s received: %v", e.Operation, e.Err)
}

// Unwrap returns the error with which the future failed.
func (e *ArgumentError) Unwrap() error { return e.Err }

// ShutdownError is the error of Shutdown and Close when they could not let all work end, and all
// reports of it.
type ShutdownError struct {
	// Abandoned counts messages that came to no outcome and do not run: those that had not begun,
	// also where they waited for room in a mailbox ([WaitForRoom]), whose senders have the error
	// too; activities that had not begun; operations that had returned with a future, or held one
	// in their results, that was open at the end; and promises that nobody had resolved.
	Abandoned uint64
	// Ended counts activities that had begun, and that the end of the runtime has ended where they
	// waited, yielded or returned from Block. Their deferred functions have run.
	Ended uint64
	// Running names the operations and activities that have begun and not returned, each once,
	// wherever they are: on a processor, in [Context.Block], in a join, or in a deferred function.
	// If an operation has called a [SmallOp] that does not return, it is the small one that is
	// named. Branches count with the operation that has forked them. Where that is an activity with
	// a name of its own, the function of the activity is named too, once, for the branches that
	// other processors run.
	Running []string
	// Untold counts reports to the logger, and calls of the hook of [OnLost], that had not ended.
	// The report of this error is not among them.
	Untold uint64
	Cause  error // the error of Shutdown's context; nil for Close
}

// Error tells how much work was left, the operations that did not return, and the reports that were
// not told.
func (e *ShutdownError) Error() string {
	text := fmt.Sprintf("freerun: closed; messages abandoned: %d", e.Abandoned)
	if e.Ended > 0 {
		text += fmt.Sprintf("; activities ended where they waited: %d", e.Ended)
	}
	for i, name := range e.Running {
		if i == 0 {
			text += "; operations that did not return: " + name
		} else {
			text += ", " + name
		}
	}
	if e.Untold > 0 {
		text += fmt.Sprintf("; reports not told: %d", e.Untold)
	}
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Unwrap returns the error of Shutdown's context.
func (e *ShutdownError) Unwrap() error { return e.Cause }

// fullError is the [ErrFull] of one unit. It is made with the unit, so that a refusal allocates
// nothing. It keeps neither the unit nor its mailbox from being collected.
type fullError struct {
	unit  string // its name; empty if it has none
	state reflect.Type
	most  int64
	// noWait: the answer to a sender that did not want to wait, and no failure of its scope.
	noWait bool
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
