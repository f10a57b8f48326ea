// Package activityhost is the protocol through which package freerun runs the activities of
// package activity.
//
// Package activity lies below package freerun and knows nothing of scopes, futures and shutdowns.
// Package freerun hosts activities: it starts them in a runtime, a scope or a context, counts
// them, cancels them and reports them. The two packages meet here, so that the protocol adds no
// exported method to a type that programs use.
//
//	activity        freerun
//	Provide    ──→  For                   once, when both are initialized
//	start      ──→  Activities.StartWith  how activity.Go starts an activity
//	Owner      ←──  a runtime, a scope    called by an activity to begin, wait and end
//	Operations ←──  set by package freerun: operations that block like activities do, unaware
//
// The type parameter A is activity.Activity everywhere: this package lies below it and cannot name
// it.
package activityhost

import (
	"context"
	"errors"
	"time"

	"github.com/freerun-go/freerun/internal/sched"
)

// Place is a value in which activities can be started: a runtime, a scope or a context. A type
// becomes a place by embedding [Mark], and in no other way.
type Place interface{ place() }

// Mark makes the type that embeds it a [Place]. It takes no memory unless it is the last field.
type Mark struct{}

func (Mark) place() {}

// Owner keeps the accounts of the activities of one place. An activity calls it on the goroutine
// that runs the activity, or is about to.
type Owner[A any] interface {
	// Context returns the context that activities pass on as their own. It is done when they are
	// canceled.
	Context() context.Context
	// Start starts another activity b in the place where a was started. Any goroutine may call it.
	Start(a, b *A) error
	// Prepare is called on a host's own stack before the first activity runs on a new stack, on p.
	// It makes what Enter needs, since a new stack has little room.
	Prepare(on *Stack, p *sched.Processor)
	// Enter is called each time a has come to run on processor p; p is nil if a was discarded, and
	// has none from then on. Leave is called when a is about to be suspended, or has ended. Depart
	// is called instead of Leave when a gives p away and runs on without a processor, until the
	// next Enter. These three are called on a's goroutine.
	Enter(a *A, on *Stack, p *sched.Processor)
	Leave(a *A, on *Stack, p *sched.Processor)
	Depart(a *A, on *Stack, p *sched.Processor)
	// Pass is Leave and Enter in one, for an activity on the stack from, which is about to be
	// suspended, and one on the stack to, which has begun before and runs on p at once. It is
	// called on the goroutine of the former. If it reports false, it has done nothing: maybe the
	// latter has another owner.
	Pass(from, to *Stack, p *sched.Processor) bool
	// End is called once, after a has ended and before the waiters for its end are woken. p is nil
	// if a has no processor. failure is the value that a panicked with, [ErrGoexit], or nil;
	// refused says why a was never begun, or is nil. End returns the error for the activity's Wait.
	End(a *A, p *sched.Processor, failure any, stack []byte, refused error) error
	// Canceled returns the error with which an activity fails to begin, or to wait, once it is
	// canceled or its host gives up everything that has not ended: if Closing reports true,
	// Canceled returns an error. It returns nil before.
	Canceled() error
	// Closing reports whether the host gives up everything that has not ended. Then an activity
	// ends where it would wait.
	Closing() bool
	// Closed returns the error of an activity that is discarded although it was not canceled.
	Closed() error
	// Watch is called before a waits for the first time. From then until a's end, a cancellation
	// calls [Activities.Interrupt].
	Watch(a *A)
	// AfterFunc calls f when d has passed, unless stop is called before. f does not wait.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
	// AfterDone calls f when ctx is done, unless stop is called before. f does not wait.
	AfterDone(ctx context.Context, f func()) (stop func() bool)
	// Drive is called by an ordinary goroutine that waits. If the runtime is deterministic, Drive
	// runs operations and activities until reached reports true, and then returns nil; it returns
	// an error if ctx is done before, or nothing is left to run. In other runtimes it does nothing,
	// and driven is false.
	Drive(ctx context.Context, reached func() bool) (driven bool, err error)
}

// ErrGoexit is the failure of an activity that called runtime.Goexit.
var ErrGoexit = errors.New("the activity called runtime.Goexit")

// Stack is the owner's view of the stack that an activity runs on. Activities use a stack one after
// another. Only the goroutine of the activity may use it, from [Owner.Enter] to [Owner.End]; in
// [Activities.EachTraced] its caller may.
type Stack struct {
	Local any     // for the owner; it stays from one activity on the stack to the next
	Code  uintptr // the address of the code of the activity's function
	Title *string // the activity's name, nil if it has none
}

// Activities has the services of package activity for its host.
type Activities[A any] struct {
	// StartWith sets the function that starts a new activity in a place. Its error says why the
	// activity was not started.
	StartWith func(start func(where Place, a *A) error)
	// Begin queues a new activity: on p, the processor that the caller runs on, or in the inbox of
	// the scheduler if p is nil. The caller has counted the activity before.
	Begin func(a *A, owner Owner[A], priority sched.Priority, s *sched.Scheduler, p *sched.Processor)
	// Claim and Queue are the two halves of Begin: between them the activity has its owner, and
	// others may wait for its end.
	Claim func(a *A, owner Owner[A])
	Queue func(a *A, priority sched.Priority, s *sched.Scheduler, p *sched.Processor)
	// StackOf returns the stack of a, nil if the caller is not the goroutine of a.
	StackOf func(a *A) *Stack
	// Code returns the address of the code of the activity's function, 0 once the activity has
	// ended. The caller makes sure that the activity does not end meanwhile.
	Code func(a *A) uintptr
	// Interrupt ends the wait of a, and reports whether a waited. The caller cancels a:
	// [Owner.Canceled] or [Owner.Closing] says so already. Any goroutine may call it.
	Interrupt func(a *A) bool
	// InterruptAll interrupts all activities of a scheduler, in the order in which their stacks
	// were made. [Owner.Closing] of their owners says so already.
	InterruptAll func(s *sched.Scheduler)
	// EachBegun calls f for the activities of a scheduler that have begun and not ended, wherever
	// they are, in the order in which their stacks were made: with the address of the code of the
	// activity's function, and its name, nil if it has none. An activity has ended before it calls
	// [Owner.End]. While activities begin and end, f may be called with the code of one and the
	// name of the next. Any goroutine.
	EachBegun func(s *sched.Scheduler, f func(code uintptr, title *string))
	// EachTraced calls f for the activities of a scheduler that have begun and not ended, in the
	// order in which their stacks were made, each with its stack in the form of a panic's trace,
	// and whether it waits: else it is ready, or runs. It calls f at most most times and returns
	// how many more activities there are. It is for the report of a deterministic runtime that
	// comes to no end. Each trace stops the world, and while anything runs it may be of another
	// moment than the wait.
	EachTraced func(s *sched.Scheduler, most int, f func(a *A, on *Stack, waits bool, trace []byte)) (more int)
}

// provided is an Activities. Provide alone writes it, during initialization.
var provided any

// Provide sets the result of For. Package activity calls it once, when it is initialized.
func Provide[A any](activities Activities[A]) { provided = activities }

// For returns the argument of Provide. A is activity.Activity.
func For[A any]() Activities[A] { return provided.(Activities[A]) }

// Operations are what package freerun does where an operation is about to block, without having
// said so by Block. It sets them when it is initialized.
var Operations struct {
	// Leave gives p away, the processor of the operation that runs on the calling goroutine.
	Leave func(p *sched.Processor)
	// Back is called when the operation has blocked. It has no processor.
	Back func(h *sched.Host)
}
