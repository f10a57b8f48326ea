package freerun

import "github.com/freerun-go/freerun/internal/sched"

// refusal is an [ErrWouldBlock] that tells the caller what to do instead.
type refusal string

// Error returns what to do instead.
func (r refusal) Error() string { return string(r) }

// Is reports whether target is ErrWouldBlock.
func (refusal) Is(target error) bool { return target == ErrWouldBlock }

// The errors, in an activity, of waits for ordinary goroutines.
const (
	errActivityWaits refusal = "freerun: would block: an activity waits for a future with Await, not with Wait"
	errActivityCalls refusal = "freerun: would block: Call is for ordinary goroutines; an activity sends, and waits with Await: " +
		"Send(freerun.ContextOf(a), …).Await(a)"
	errActivityScope refusal = "freerun: would block: an activity waits for the futures and the activities of a scope, with Await and Wait, " +
		"or starts an ordinary goroutine that waits for the scope, and then counts down an activity.Latch"
	errActivityEnds refusal = "freerun: would block: an activity must not wait for the runtime or end it, " +
		"as the runtime waits for the activity; an ordinary goroutine that the activity starts may"
	errPulledWaits refusal = "freerun: would block: a coroutine of iter.Pull must not wait; yield to the activity that has made it, and wait there"
)

// refusalHere returns the error of a wait for ordinary goroutines, where [sched.Inside] is true:
// in an activity the error given for activities, otherwise the error given for operations.
func refusalHere(operation error, activity refusal) error {
	co, direct := sched.EnclosingCoroutine()
	switch {
	case co == nil || isOperationWithin():
		return operation
	case !direct:
		return errPulledWaits
	}
	return activity
}

// isOperationWithin reports whether the running activity has called an inlined operation that runs
// now, or runs a branch of a join. Neither may wait, like all operations.
func isOperationWithin() bool {
	p := sched.CurrentProcessor()
	if p == nil {
		return false
	}
	w, ok := p.Local.(*worker)
	if !ok {
		return false
	}
	c := w.active.Load()
	return c.inside.inlined() > 0 || c.forks.branched()
}

// naming returns err, the error of a message to u with operation. If it is [ErrOtherRuntime],
// naming adds the names of the unit and the operation.
func (u *unit) naming(err error, operation func() string) error {
	if err != ErrOtherRuntime {
		return err
	}
	return &foreignError{operation: operation(), unit: u.called()}
}
