package activity

import (
	"context"
	"time"

	"github.com/freerun-go/freerun/internal/sched"
)

// Starter is a place where activities are started: a runtime, a scope or a context of package freerun, another activity, or a scheduler alone
// ([On]).
type Starter interface {
	// StartActivity starts a, which is new, or returns why it does not. It is for [Go] to call.
	StartActivity(a *Activity) error
}

// Owner keeps the accounts of activities, for the place that they were started in. An activity calls it on the goroutine that runs it, or is about to.
// Programs need not know of it: it is how package freerun, which lies above, gives activities what its operations have.
type Owner interface {
	// Context returns the context that activities pass on as their own: done when they are canceled.
	Context() context.Context
	// Start starts another activity b where a was started; any goroutine.
	Start(a, b *Activity) error
	// Enter is called when a has come to run on p, each time; Leave, when it is about to be left, or has ended. Depart is called instead of Leave when a gives p
	// away, and runs on, without a processor, until Enter. All three on a's goroutine.
	Enter(a *Activity, p *sched.Processor)
	Leave(a *Activity, p *sched.Processor)
	Depart(a *Activity, p *sched.Processor)
	// End is called when a has ended, once, before those who wait for that are told. p is nil if it has no processor. failure is what it panicked
	// with, [ErrGoexit], or nil; refused is why it was never begun, or nil. It returns what Wait is to return.
	End(a *Activity, p *sched.Processor, failure any, stack []byte, refused error) error
	// Canceled returns the error of what would begin, or wait, after a was canceled or when all is being given up; nil before.
	Canceled() error
	// Closing reports whether all that has not ended is being given up: then an activity ends where it would wait.
	Closing() bool
	// Watch is called before a waits for the first time: from then until its end, whoever cancels it calls [Activity.Interrupt].
	Watch(a *Activity)
	// AfterFunc calls f, which does not wait, when d has passed, unless stop is called before.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
	// AfterDone calls f, which does not wait, when ctx is done, unless stop is called before.
	AfterDone(ctx context.Context, f func()) (stop func() bool)
	// Drive runs what there is to run until the condition holds, and returns nil then, if that is for an ordinary goroutine that waits to do; driven is false if not.
	Drive(ctx context.Context, reached func() bool) (driven bool, err error)
}
