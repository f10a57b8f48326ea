package activity

import (
	"context"
	"fmt"
	"time"

	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Activity is a task with a stack of its own, which may wait in its middle. [Go] makes and starts
// one and passes it to the activity's function. Only the activity's own goroutine may call Yield,
// Sleep and Block. Any goroutine may call Check, Wait, Ended, Name, Here and the methods of
// [context.Context].
//
// An Activity is the [context.Context] of its scope: it is done when the scope is canceled. It
// must not be copied. An activity that has not begun costs 96 bytes and no stack.
type Activity struct {
	task     sched.Task // first: see activityOf
	mark                // an activity is a [Starter]
	quantum  int32      // what is left of the quantum; written by the activity's goroutine
	priority sched.Priority
	quanta   uint8 // how many quanta it has before it yields, from 1
	started  bool
	watched  bool // the owner interrupts the activity when its scope is canceled
	fn       func(*Activity)
	owner    owner
	stack    atomics.RelaxedPointer[stack] // nil without; written by the runner
	ends     broadcast                     // the waiters for the end of the activity
	outcome  error                         // what Wait returns; written before ends is opened
	named    *string                       // nil without a name
}

// Option is a setting for [Go].
type Option struct{ apply func(*Activity) }

// Named gives an activity a name, for reports of what it does and where it is stuck.
func Named(name string) Option { return Option{func(a *Activity) { a.named = &name }} }

// Quanta gives an activity n times the quantum of others: it yields at its checks after n times
// the work, and is preempted after n milliseconds (`freerun build`). It is for work whose data in
// the processor's caches is worth more than the wait of others. Where nothing else is ready, an
// activity goes on anyway. Quanta panics unless n is from 1 to 255.
func Quanta(n int) Option {
	if n < 1 || n > 255 {
		panic(fmt.Sprintf("activity: Quanta(%d), and it must be from 1 to 255", n))
	}
	return Option{func(a *Activity) { a.quanta = uint8(n) }}
}

// Go starts an activity that runs fn, and returns it. The activity runs on any processor of where,
// in turns with the other work there. It keeps its processor until it waits, yields, or uses up
// its quantum in [Activity.Check]. It counts as work of where: a shutdown and a scope wait for its
// end. A panic in fn ends the activity and is reported like that of an operation.
//
// Any goroutine may call Go, and so may operations and activities; it does not wait. If where
// accepts no more work, the returned activity has ended, and [Activity.Wait] returns why. Go
// panics if where or fn is nil, or an option is the zero Option. It allocates the activity alone.
func Go(where Starter, fn func(a *Activity), options ...Option) *Activity {
	if where == nil || fn == nil {
		panic("activity: Go needs a place to start in, and a function")
	}
	a := &Activity{fn: fn, quanta: 1}
	a.task.Kind = fresh
	for i, o := range options {
		if o.apply == nil {
			panic(fmt.Sprintf("activity: Go with a zero Option, the one with index %d", i))
		}
		o.apply(a)
	}
	if err := start(where, a); err != nil {
		a.end(err)
	}
	return a
}

// Wait waits until a has ended. It returns nil if the function of a has returned; otherwise the
// error that a has failed with: its panic, or why it was not begun. The caller may be an ordinary
// goroutine or another activity. The package's documentation says which ctx it passes and which
// other errors there are. Wait panics if ctx is nil. It returns an error at once for the zero
// Activity, which never ends.
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

// Ended reports whether a has ended. Any goroutine may call it.
func (a *Activity) Ended() bool { return a.ends.isOpen() }

// end publishes the outcome and wakes the waiters.
func (a *Activity) end(outcome error) {
	a.outcome = outcome
	a.ends.open()
}

// Name returns the name that the activity was given, "" if it has none.
func (a *Activity) Name() string {
	if a.named == nil {
		return ""
	}
	return *a.named
}

type key struct{}

// Of returns the activity that ctx is or is derived from; nil if there is none. It panics if ctx
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

// Deadline returns the deadline of the scope's context; see [context.Context].
func (a *Activity) Deadline() (deadline time.Time, ok bool) { return a.std().Deadline() }

// Done returns a channel that is closed when the activity's scope is canceled, or when its runtime
// gives up what has not ended.
func (a *Activity) Done() <-chan struct{} { return a.std().Done() }

// Err returns nil until Done is closed, and then the reason.
func (a *Activity) Err() error { return a.std().Err() }

// Value returns what the scope's context has for k.
func (a *Activity) Value(k any) any {
	if _, ok := k.(key); ok {
		return a
	}
	return a.std().Value(k)
}

var _ context.Context = (*Activity)(nil)
