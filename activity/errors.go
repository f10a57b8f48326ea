package activity

import "errors"

// ErrWouldBlock is returned by whatever would wait inside an operation of a unit: operations never
// wait. Have the operation start an activity, or pass a future on. In a coroutine that an activity
// has made with iter.Pull the error is one that wraps it: only the activity itself waits.
var ErrWouldBlock = errors.New("activity: an operation of a unit must not wait; start an activity that does")

// errPulled is the ErrWouldBlock of a coroutine that an activity has made with iter.Pull.
var errPulled error = pulledError{}

type pulledError struct{}

func (pulledError) Error() string {
	return "activity: a coroutine of iter.Pull must not wait; yield to the activity that has made it, and wait there"
}

func (pulledError) Is(target error) bool { return target == ErrWouldBlock }

// ErrGoexit is the value of a failure of an activity that called runtime.Goexit.
var ErrGoexit = errors.New("activity: it called runtime.Goexit")

// ErrClosed is what an activity comes to that was not started before the end of where it was to run, if that has no error of its own for it.
var ErrClosed = errors.New("activity: the scheduler has ended")

// errNotStarted is what Wait returns for an activity that nobody has started.
var errNotStarted = errors.New("activity: it was never started; use Go")
