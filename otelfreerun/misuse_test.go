package otelfreerun_test

import (
	"context"
	"testing"

	"go.opentelemetry.io/otel/metric/noop"

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
		"Spans without a context": {
			"otelfreerun: Spans needs a context, a tracer and a recording",
			func() { otelfreerun.Spans(noContext, nil, nil) },
		},
	})
}
