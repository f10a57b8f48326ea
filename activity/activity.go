package activity

import (
	"context"
	"fmt"
	"time"

	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Activity is a task with a stack of its own, which may wait in its middle. Make and start it with [Go]. The function gets it passed, and only its goroutine
// may call what makes it wait: Yield, Check, Sleep, Block. Name, Wait and the methods of [context.Context] are for any goroutine.
//
// An Activity is the [context.Context] of its place: done when its scope is canceled. It must not be copied. One that was never run costs 96 bytes, and no stack.
type Activity struct {
	task     sched.Task // first: see activityOf
	mark                // it is a [Starter]
	quantum  int32      // what is left of it; the activity's own
	priority sched.Priority
	started  bool
	watched  bool // the owner knows it as one to interrupt
	fn       func(*Activity)
	owner    owner
	stack    atomics.RelaxedPointer[stack] // while it has one; written by who runs it
	ends     broadcast                     // who wait for its end
	outcome  error                         // what Wait returns; written before ends is opened
	named    *string                       // nil: it has no name
}

// Option is a setting for [Go].
type Option func(*Activity)

// Named gives an activity a name, for reports of what it does and where it is stuck.
func Named(name string) Option { return func(a *Activity) { a.named = &name } }

// WithPriority sets how soon the activity is run, compared with others. The default is that of the place where it is started.
func WithPriority(p sched.Priority) Option { return func(a *Activity) { a.priority = p } }

// Go starts an activity that runs fn, and returns it. fn runs on some processor of where, beside and in turns with whatever else runs there, and keeps its
// processor until it waits, yields, or uses up its quantum in [Activity.Check]. It counts as work of where: a shutdown waits for its end, and so does the scope. A
// panic in fn ends the activity, and is reported as that of an operation.
//
// Any goroutine, operations and activities too; it does not wait. If where takes nothing any more, the activity has ended, and [Activity.Wait] returns why. It
// panics if where, fn or an option is nil. It allocates the activity alone.
func Go(where Starter, fn func(a *Activity), options ...Option) *Activity {
	if where == nil || fn == nil {
		panic("activity: Go needs a place to start in, and a function")
	}
	a := &Activity{fn: fn, priority: unset}
	a.task.Kind = fresh
	for i, o := range options {
		if o == nil {
			panic(fmt.Sprintf("activity: Go with a nil option, the one with index %d", i))
		}
		o(a)
	}
	if err := start(where, a); err != nil {
		a.end(err)
	}
	return a
}

// unset is the priority of an activity that takes the one of its place.
const unset = sched.Priority(255)

// Wait waits until a has ended, and returns nil if its function has returned, otherwise what it came to: the panic, or why it was not begun. The one that
// waits may be an ordinary goroutine, with any ctx, or another activity; see the package's documentation for ctx and other errors. It panics if ctx is nil.
// For the zero Activity, which will never end, it returns an error at once.
func (a *Activity) Wait(ctx context.Context) error {
	if a == nil || !a.started && !a.Ended() {
		return errNotStarted
	}
	if err := a.await(ctx); err != nil {
		return err
	}
	return a.outcome
}

func (a *Activity) await(ctx context.Context) error {
	if ctx != nil && a.started && !a.Ended() {
		if caller, err := current(); caller == nil && err == nil {
			if driven, err := a.owner.Drive(ctx, a.Ended); driven {
				return err
			}
		}
	}
	return a.ends.wait(ctx)
}

// Ended reports whether a has ended. Any goroutine.
func (a *Activity) Ended() bool { return a.ends.isOpen() }

// end makes the outcome known.
func (a *Activity) end(outcome error) {
	a.outcome = outcome
	a.ends.open()
}

// Name returns the name that the activity was given.
func (a *Activity) Name() string {
	if a.named == nil {
		return ""
	}
	return *a.named
}

// Priority returns the activity's priority.
func (a *Activity) Priority() sched.Priority { return a.priority }

type key struct{}

// Of returns the activity that ctx is, or is derived from, nil if there is none. It panics if ctx
// is nil.
func Of(ctx context.Context) *Activity {
	mustContext(ctx)
	a, _ := ctx.Value(key{}).(*Activity)
	return a
}

func (a *Activity) std() context.Context {
	if a.owner == nil {
		return context.Background()
	}
	return a.owner.Context()
}

// Deadline is that of the context of its scope; see [context.Context].
func (a *Activity) Deadline() (deadline time.Time, ok bool) { return a.std().Deadline() }

// Done returns a channel that is closed when the activity's scope is canceled, or its runtime gives up what has not ended.
func (a *Activity) Done() <-chan struct{} { return a.std().Done() }

// Err returns nil until Done is closed, and then why.
func (a *Activity) Err() error { return a.std().Err() }

// Value returns that of the context of its scope.
func (a *Activity) Value(k any) any {
	if _, ok := k.(key); ok {
		return a
	}
	return a.std().Value(k)
}

var _ context.Context = (*Activity)(nil)
