package activity

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/freerun-go/freerun/internal/activityhost"
	"github.com/freerun-go/freerun/internal/sched"
)

// The tests of this package start activities in places of their own: in a scheduler alone ([On]),
// or in any type that embeds [Mark] and starts activities with [Activity.Begin].

type (
	Mark  = activityhost.Mark
	Stack = activityhost.Stack
	// Owner is the owner of the activities that a place starts.
	Owner = activityhost.Owner[Activity]
)

func init() {
	activityhost.For[Activity]().StartWith(func(where starter, a *Activity) error {
		return where.(interface{ StartActivity(a *Activity) error }).StartActivity(a)
	})
}

// Begin starts an activity in a place: see [activityhost.Activities].
func (a *Activity) Begin(in Owner, priority sched.Priority, s *sched.Scheduler, p *sched.Processor) {
	a.begin(in, priority, s, p)
}

// Interrupt ends the wait of the activity, and reports whether it waited.
func (a *Activity) Interrupt() bool { return a.interrupt() }

// InterruptAll interrupts all activities of a scheduler that has stopped.
func InterruptAll(s *sched.Scheduler) { interruptAll(s) }

// The errors of activities on a scheduler.
var (
	ErrGoexit = activityhost.ErrGoexit
	ErrClosed = errors.New("activity: the scheduler has ended")
)

// On returns a place that is a scheduler alone. Nothing cancels its activities before the scheduler
// has stopped. A panic is logged by [slog.Default], and Wait returns it as a [*PanicError]. The
// caller that stops the scheduler then calls [InterruptAll], which ends the activities that wait.
// On panics if s is nil.
func On(s *sched.Scheduler) *Plain {
	if s == nil {
		panic("activity: On needs a scheduler")
	}
	return &Plain{Scheduler: s}
}

// Plain is a scheduler as a place: see [On].
type Plain struct {
	Mark
	*sched.Scheduler
}

// PanicError is the outcome of an activity that has panicked.
type PanicError struct {
	Activity string // its name
	Value    any
	Stack    []byte
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("activity: %s panicked: %v", e.Activity, e.Value)
}

// Unwrap returns the value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

func (p *Plain) StartActivity(a *Activity) error {
	at := sched.CurrentProcessor()
	if at != nil && at.Scheduler() != p.Scheduler {
		at = nil
	}
	a.Begin(p, sched.Normal, p.Scheduler, at)
	return nil
}

func (p *Plain) Start(_, b *Activity) error               { return p.StartActivity(b) }
func (*Plain) Context() context.Context                   { return context.Background() }
func (*Plain) Enter(*Activity, *Stack, *sched.Processor)  {}
func (*Plain) Leave(*Activity, *Stack, *sched.Processor)  {}
func (*Plain) Pass(_, _ *Stack, _ *sched.Processor) bool  { return true }
func (*Plain) Prepare(*Stack, *sched.Processor)           {}
func (*Plain) Depart(*Activity, *Stack, *sched.Processor) {}
func (*Plain) Watch(*Activity)                            {}

func (p *Plain) Canceled() error {
	if p.Stopped() {
		return ErrClosed
	}
	return nil
}

func (*Plain) Closed() error { return ErrClosed }

func (p *Plain) Closing() bool { return p.Stopped() }

func (*Plain) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	return time.AfterFunc(d, f).Stop
}

func (*Plain) AfterDone(ctx context.Context, f func()) (stop func() bool) {
	return context.AfterFunc(ctx, f)
}

func (*Plain) Drive(context.Context, func() bool) (driven bool, err error) { return false, nil }

func (*Plain) End(a *Activity, _ *sched.Processor, failure any, stack []byte, refused error) error {
	if failure == nil {
		return refused
	}
	slog.Default().Error("activity: panicked", "activity", a.Name(), "panic", failure, "stack", string(stack))
	return &PanicError{Activity: a.Name(), Value: failure, Stack: stack}
}
