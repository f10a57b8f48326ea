package otelfreerun_test

import (
	"context"
	"testing"

	"go.opentelemetry.io/otel/metric/noop"
	nooptrace "go.opentelemetry.io/otel/trace/noop"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest/misuse"
	"github.com/freerun-go/freerun/otelfreerun"
)

// TestMisuseIsTold uses zero values, and arguments that are missing. Each panic or error must say
// what would be right.
func TestMisuseIsTold(t *testing.T) {
	var noContext context.Context
	misuse.Check(t, misuse.Calls{
		"Observe of a zero Runtime": {
			"freerun: a nil or zero Runtime; make runtimes with New",
			func() { _, _ = otelfreerun.Observe(new(freerun.Runtime), noop.Meter{}) },
		},
		"Trace without a tracer": {
			"otelfreerun: Trace needs a tracer",
			func() { otelfreerun.Trace(nil) },
		},
		"Trace with a zero TraceOption": {
			"otelfreerun: Trace with a zero TraceOption; the functions that return one make it",
			func() { otelfreerun.Trace(nooptrace.Tracer{}, otelfreerun.TraceOption{}) },
		},
		"With without a context": {
			"otelfreerun: With needs two contexts",
			func() { otelfreerun.With(nil, noContext) },
		},
		"LogHandler without a handler": {
			"otelfreerun: LogHandler needs a handler",
			func() { otelfreerun.LogHandler(nil) },
		},
		"Spans without a context": {
			"otelfreerun: Spans needs a context, a tracer and a recording",
			func() { otelfreerun.Spans(noContext, nil, nil) },
		},
	})
}
