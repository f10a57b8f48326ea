package otelfreerun_test

import (
	"context"
	"fmt"
	"testing"

	"go.opentelemetry.io/otel/metric/noop"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/otelfreerun"
)

// TestMisuseIsTold uses zero values, and arguments that are missing. Each panic or error must say
// what would be right.
func TestMisuseIsTold(t *testing.T) {
	var noContext context.Context
	for name, misuse := range map[string]struct {
		want string
		use  func()
	}{
		"Observe of a zero Runtime": {
			"freerun: a nil or zero Runtime; make runtimes with New",
			func() { _, _ = otelfreerun.Observe(new(freerun.Runtime), noop.Meter{}) },
		},
		"Spans without a context": {
			"otelfreerun: Spans needs a context, a tracer and a recording",
			func() { otelfreerun.Spans(noContext, nil, nil) },
		},
	} {
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); text != misuse.want {
					t.Errorf("%s panics with %q, want %q", name, text, misuse.want)
				}
			}()
			misuse.use()
		}()
	}
}
