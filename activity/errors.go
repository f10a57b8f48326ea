package activity

import "errors"

// ErrWouldBlock says that the caller must not wait: it is an operation, or a coroutine that an
// activity has made with iter.Pull. It is freerun.ErrWouldBlock. The errors of this package that
// match it under [errors.Is] say what to do instead.
var ErrWouldBlock = errors.New("freerun: would block: an operation must not wait; pass the future on, as an argument or with Forward or Then")

// refusal is an [ErrWouldBlock] that says what its caller is to do instead.
type refusal string

// The errors of this package's waits.
const (
	errOperationWaits refusal = "activity: an operation must not wait, nor in its Block; start an activity that does"
	errPulledWaits    refusal = "activity: a coroutine of iter.Pull must not wait; yield to the activity that has made it, and wait there"
)

// Error returns what to do instead.
func (r refusal) Error() string { return string(r) }

// Is reports whether target is ErrWouldBlock.
func (refusal) Is(target error) bool { return target == ErrWouldBlock }

// errNotStarted is the error of a Wait for an activity that was never started.
var errNotStarted = errors.New("activity: Wait for an Activity that was never started; start activities with Go")
