package freerun_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/runtimetest/misuse"
)

// TestMisuseIsTold calls methods of values that were not made, and passes nil where a value must
// be. It holds that each panic, or error, says what would be right.
func TestMisuseIsTold(t *testing.T) {
	ctx := t.Context()
	rt := freerun.New()
	// A misuse that was counted before it was found would keep the runtime from its end.
	defer func() {
		within, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := rt.Shutdown(within); err != nil {
			t.Error(err)
		}
	}()
	var noContext *freerun.Context
	add := misused
	misuse.Check(t, misuse.Calls{
		"New with a zero option": {
			"freerun: New with a zero Option, the one with index 0",
			func() { freerun.New(freerun.Option{}) },
		},
		"LogHandler without a handler": {
			"freerun: LogHandler needs a handler",
			func() { freerun.LogHandler(nil) },
		},
		"Scope with a zero option": {
			"freerun: Scope with a zero ScopeOption, the one with index 1",
			func() { rt.Scope(ctx, freerun.FailFast(), freerun.ScopeOption{}) },
		},
		"zero Runtime.Stats": {
			"freerun: a nil or zero Runtime; make runtimes with New",
			func() { _ = new(freerun.Runtime).Stats() },
		},
		"zero Runtime.Processors": {
			"freerun: a nil or zero Runtime; make runtimes with New",
			func() { _ = new(freerun.Runtime).Processors() },
		},
		"zero Runtime.Running": {
			"freerun: a nil or zero Runtime; make runtimes with New",
			func() { _ = new(freerun.Runtime).Running() },
		},
		"zero Runtime.LateReports": {
			"freerun: a nil or zero Runtime; make runtimes with New",
			func() { _ = new(freerun.Runtime).LateReports() },
		},
		"zero Runtime.Draining": {
			"freerun: a nil or zero Runtime; make runtimes with New",
			func() { _ = new(freerun.Runtime).Draining() },
		},
		"zero Runtime.Now": {
			"freerun: a nil or zero Runtime; make runtimes with New",
			func() { _ = new(freerun.Runtime).Now() },
		},
		"zero Runtime.DumpFlight": {
			"freerun: a nil or zero Runtime; make runtimes with New",
			func() { _ = new(freerun.Runtime).DumpFlight(os.Stdout) },
		},
		"zero Runtime.StartTrace": {
			"freerun: a nil or zero Runtime; make runtimes with New",
			func() { _, _ = new(freerun.Runtime).StartTrace(os.Stdout) },
		},
		"zero Runtime.Sample": {
			"freerun: a nil or zero Runtime; make runtimes with New",
			func() { _, _ = new(freerun.Runtime).Sample(ctx, 1) },
		},
		"zero Runtime.Close": {
			"freerun: a nil or zero Runtime; make runtimes with New",
			func() { _ = new(freerun.Runtime).Close() },
		},
		"zero Runtime.Shutdown": {
			"freerun: a nil or zero Runtime; make runtimes with New",
			func() { _ = new(freerun.Runtime).Shutdown(ctx) },
		},
		"zero Runtime.Quiesce": {
			"freerun: a nil or zero Runtime; make runtimes with New",
			func() { _ = new(freerun.Runtime).Quiesce(ctx) },
		},
		"zero Runtime.Resize": {
			"freerun: a nil or zero Runtime; make runtimes with New",
			func() { new(freerun.Runtime).Resize(1) },
		},
		"zero Runtime.Scope": {
			"freerun: a nil or zero Runtime; make runtimes with New",
			func() { _ = new(freerun.Runtime).Scope(ctx) },
		},
		"Go in a nil Runtime": {
			"freerun: a nil or zero Runtime; make runtimes with New",
			func() { activity.Go((*freerun.Runtime)(nil), func(*activity.Activity) {}) },
		},
		"Go in a zero Runtime": {
			"freerun: a nil or zero Runtime; make runtimes with New",
			func() { activity.Go(new(freerun.Runtime), func(*activity.Activity) {}) },
		},
		"nil Runtime.Stats": {
			"freerun: a nil or zero Runtime; make runtimes with New",
			func() { (*freerun.Runtime)(nil).Stats() },
		},
		"DumpOn of nil": {
			"freerun: a nil or zero Runtime; make runtimes with New",
			func() { _, _ = freerun.DumpOn(nil, "x", os.Interrupt) },
		},
		"DumpFlight to nil": {
			"freerun: DumpFlight needs a writer",
			func() { _ = rt.DumpFlight(nil) },
		},
		"FlightRecorder": {
			"freerun: FlightRecorder with 1073741825 bytes for each processor; there may be 1<<30",
			func() { freerun.FlightRecorder(1<<30 + 1) },
		},
		"Unit.Stats": {
			"freerun: Stats of a nil or zero Unit; make units with NewUnit",
			func() { (*freerun.Unit[int])(nil).Stats() },
		},
		"nil Context.Err": {
			"freerun: a nil or zero Context; use the operation's, or Runtime.Context outside",
			func() { _ = noContext.Err() },
		},
		"nil Context.Done": {
			"freerun: a nil or zero Context; use the operation's, or Runtime.Context outside",
			func() { _ = noContext.Done() },
		},
		"nil Context.Deadline": {
			"freerun: a nil or zero Context; use the operation's, or Runtime.Context outside",
			func() { noContext.Deadline() },
		},
		"nil Context.Value": {
			"freerun: a nil or zero Context; use the operation's, or Runtime.Context outside",
			func() { noContext.Value("key") },
		},
		"nil Context.AfterFunc": {
			"freerun: a nil or zero Context; use the operation's, or Runtime.Context outside",
			func() { noContext.AfterFunc(func() {}) },
		},
		"Call in a nil Context": {
			"freerun: a nil or zero Context; use the operation's, or Runtime.Context outside",
			func() { _, _ = add.Call(noContext, freerun.NewUnit(rt, 0), 1) },
		},
		"Scope of a nil Context": {
			"freerun: a nil or zero Context; use the operation's, or Runtime.Context outside",
			func() { rt.Scope(noContext) },
		},
		"Future.Wait with a nil Context": {
			"freerun: a nil or zero Context; use the operation's, or Runtime.Context outside",
			func() { _, _ = freerun.After(rt.Context(), time.Hour).Wait(noContext) },
		},
		"zero Context.Err": {
			"freerun: a nil or zero Context; use the operation's, or Runtime.Context outside",
			func() { _ = new(freerun.Context).Err() },
		},
		"zero Context.Done": {
			"freerun: a nil or zero Context; use the operation's, or Runtime.Context outside",
			func() { _ = new(freerun.Context).Done() },
		},
		"zero Context.Deadline": {
			"freerun: a nil or zero Context; use the operation's, or Runtime.Context outside",
			func() { new(freerun.Context).Deadline() },
		},
		"zero Context.Value": {
			"freerun: a nil or zero Context; use the operation's, or Runtime.Context outside",
			func() { new(freerun.Context).Value("key") },
		},
		"zero Context.AfterFunc": {
			"freerun: a nil or zero Context; use the operation's, or Runtime.Context outside",
			func() { new(freerun.Context).AfterFunc(func() {}) },
		},
		"Call in a zero Context": {
			"freerun: a nil or zero Context; use the operation's, or Runtime.Context outside",
			func() { _, _ = add.Call(new(freerun.Context), freerun.NewUnit(rt, 0), 1) },
		},
		"Scope of a zero Context": {
			"freerun: a nil or zero Context; use the operation's, or Runtime.Context outside",
			func() { rt.Scope(new(freerun.Context)) },
		},
		"Future.Wait with a zero Context": {
			"freerun: a nil or zero Context; use the operation's, or Runtime.Context outside",
			func() { _, _ = freerun.After(rt.Context(), time.Hour).Wait(new(freerun.Context)) },
		},
		"Context.AfterFunc": {
			"freerun: AfterFunc with a nil function",
			func() { rt.Context().AfterFunc(nil) },
		},
		"ContextOf nil": {
			"freerun: ContextOf of a nil Activity; an activity is passed its own",
			func() { freerun.ContextOf(nil) },
		},
		"Future.Await nil": {
			"freerun: Await with a nil Activity; an activity is passed its own",
			func() { _, _ = freerun.After(rt.Context(), time.Hour).Await(nil) },
		},
	})
}

var misused = freerun.Op("misused", func(_ *freerun.Context, s *int, n int) (int, error) {
	*s += n
	return *s, nil
})
