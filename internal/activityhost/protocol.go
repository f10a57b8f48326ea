// Package activityhost is the protocol through which package freerun runs the activities of
// package activity.
//
// Package activity lies below package freerun and knows nothing of scopes, futures and shutdowns.
// Package freerun hosts activities: it starts them in a runtime, a scope or a context, counts
// them, cancels them and reports them. The two meet here, so that none of it is an exported method
// of a type that programs use.
//
//	activity        freerun
//	Provide    ──→  For                   once, when both are initialized
//	start      ──→  Activities.StartWith  how activity.Go starts an activity
//	Owner      ←──  a runtime, a scope    what an activity calls to begin, wait and end
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

// Place is where activities can be started. Types of package freerun become places by embedding
// [Mark]; nothing else can be one.
type Place interface{ place() }

// Mark makes the type that embeds it a [Place]. It takes no memory if it is not the last field.
type Mark struct{}

func (Mark) place() {}

// Owner keeps the accounts of the activities of one place. An activity calls it on the goroutine
// that runs the activity, or is about to.
type Owner[A any] interface {
	// Context returns the context that activities pass on as their own: done when they are
	// canceled.
	Context() context.Context
	// Start starts another activity b where a was started; any goroutine.
	Start(a, b *A) error
	// Enter is called each time a has come to run on p; Leave when a is about to be left, or has
	// ended. Depart is called instead of Leave when a gives p away and runs on without a
	// processor, until Enter. All three on a's goroutine.
	Enter(a *A, on *Stack, p *sched.Processor)
	Leave(a *A, on *Stack, p *sched.Processor)
	Depart(a *A, on *Stack, p *sched.Processor)
	// End is called once, when a has ended and before those who wait for its end are woken. p is
	// nil if a has no processor. failure is what a panicked with, [ErrGoexit], or nil; refused is
	// why a was never begun, or nil. End returns what Wait is to return.
	End(a *A, p *sched.Processor, failure any, stack []byte, refused error) error
	// Canceled returns the error of what would begin, or wait, after a was canceled or while all
	// is being given up; nil before.
	Canceled() error
	// Closing reports whether all that has not ended is being given up: then an activity ends
	// where it would wait.
	Closing() bool
	// Closed returns the error of an activity that is discarded although it was not canceled.
	Closed() error
	// Watch is called before a waits for the first time: from then until a's end, a cancellation
	// calls [Activities.Interrupt].
	Watch(a *A)
	// AfterFunc calls f, which does not wait, when d has passed, unless stop is called before.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
	// AfterDone calls f, which does not wait, when ctx is done, unless stop is called before.
	AfterDone(ctx context.Context, f func()) (stop func() bool)
	// Drive runs what there is to run until the condition holds, and then returns nil, if an
	// ordinary goroutine that waits has to do that; driven is false if not.
	Drive(ctx context.Context, reached func() bool) (driven bool, err error)
}

// ErrGoexit is the failure of an activity that called runtime.Goexit.
var ErrGoexit = errors.New("the activity called runtime.Goexit")

// Stack is what an owner sees of the stack that an activity runs on. Activities use a stack one
// after another. By the goroutine of the activity, from [Owner.Enter] to [Owner.End]; in
// [Activities.EachWaiting] by its caller.
type Stack struct {
	Local any     // the owner's; a later activity finds what an earlier one has left here
	Code  uintptr // the address of the code of the activity's function
	Title *string // the activity's name, nil if it has none
}

// Activities is what package activity can do for a host.
type Activities[A any] struct {
	// StartWith sets what starts an activity, which is new, in a place. The error says why it did
	// not.
	StartWith func(start func(where Place, a *A) error)
	// Begin queues a new activity: on p, the processor that the caller runs on, or from outside if
	// p is nil. The caller has counted the activity before.
	Begin func(a *A, owner Owner[A], priority sched.Priority, s *sched.Scheduler, p *sched.Processor)
	// StackOf returns the stack of a, nil if the caller is not the goroutine of a.
	StackOf func(a *A) *Stack
	// Code returns the address of the code of the activity's function, 0 once the activity has
	// ended. Only for an activity that does not end meanwhile.
	Code func(a *A) uintptr
	// Interrupt ends the wait of a, and reports whether a waited. The caller cancels a, and
	// [Owner.Canceled] or [Owner.Closing] tells so already. Any goroutine.
	Interrupt func(a *A) bool
	// InterruptAll interrupts all activities of a scheduler, whose owners say that they are
	// closing, in the order in which their stacks were made.
	InterruptAll func(s *sched.Scheduler)
	// EachWaiting calls f for activities of a scheduler that wait, in the order in which their
	// stacks were made, each with its stack in the form of a panic's trace. It calls f at most
	// most times and returns how many more activities wait. It is for the report of a
	// deterministic runtime that has come to a standstill: each trace stops the world, and while
	// anything runs it may be of another moment than the wait.
	EachWaiting func(s *sched.Scheduler, most int, f func(a *A, on *Stack, trace []byte)) (more int)
}

// provided is an Activities; written when package activity is initialized.
var provided any

// Provide is called by package activity, once, when it is initialized.
func Provide[A any](activities Activities[A]) { provided = activities }

// For returns what Provide was called with. A is activity.Activity.
func For[A any]() Activities[A] { return provided.(Activities[A]) }
