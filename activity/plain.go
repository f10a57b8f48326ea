package activity

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/freerun-go/freerun/internal/sched"
)

// On returns a place to start activities in that is a scheduler, with nothing of package freerun: nothing cancels them, a panic is logged by [slog.Default] and is
// a [*PanicError] of Wait. Whoever stops the scheduler calls [InterruptAll] then: activities that
// wait are ended. It panics if s is nil.
func On(s *sched.Scheduler) Starter {
	if s == nil {
		panic("activity: On needs a scheduler")
	}
	return plain{s}
}

type plain struct{ *sched.Scheduler }

// PanicError is what an activity comes to that has panicked, without package freerun.
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

func (p plain) StartActivity(a *Activity) error {
	at := sched.CurrentProcessor()
	if at != nil && at.Scheduler() != p.Scheduler {
		at = nil
	}
	a.Begin(p, sched.Normal, p.Scheduler, at)
	return nil
}

func (p plain) Start(_, b *Activity) error       { return p.StartActivity(b) }
func (plain) Context() context.Context           { return context.Background() }
func (plain) Enter(*Activity, *sched.Processor)  {}
func (plain) Leave(*Activity, *sched.Processor)  {}
func (plain) Depart(*Activity, *sched.Processor) {}
func (plain) Watch(*Activity)                    {}

func (p plain) Canceled() error {
	if p.Stopped() {
		return ErrClosed
	}
	return nil
}

func (p plain) Closing() bool { return p.Stopped() }

func (plain) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	return time.AfterFunc(d, f).Stop
}

func (plain) AfterDone(ctx context.Context, f func()) (stop func() bool) {
	return context.AfterFunc(ctx, f)
}

func (plain) Drive(context.Context, func() bool) (driven bool, err error) { return false, nil }

func (plain) End(a *Activity, _ *sched.Processor, failure any, stack []byte, refused error) error {
	if failure == nil {
		return refused
	}
	slog.Default().Error("activity: panicked", "activity", a.Name(), "panic", failure, "stack", string(stack))
	return &PanicError{Activity: a.Name(), Value: failure, Stack: stack}
}
