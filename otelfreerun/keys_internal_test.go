package otelfreerun

import (
	"context"
	"testing"

	"go.opentelemetry.io/otel/metric/noop"
	nooptrace "go.opentelemetry.io/otel/trace/noop"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest/misuse"
)

// TestWithoutKeys has a version of OpenTelemetry that asks contexts for no key: metrics work, and
// what needs the keys says so.
func TestWithoutKeys(t *testing.T) {
	for _, key := range []*any{&spanKey, &baggageKey} {
		had := *key
		*key = askedFor(func(context.Context) {})
		all := travels(spanKey, baggageKey)
		if len(all) != 1 || all[0].Key == nil {
			t.Errorf("without a key there travel %v", all)
		}
		rt := freerun.New()
		if _, err := Observe(rt, noop.Meter{}); err != nil {
			t.Error(err)
		}
		const says = "otelfreerun: this version of OpenTelemetry keeps spans and baggage elsewhere than in a context"
		misuse.Check(t, misuse.Calls{
			"Trace": {says, func() { Trace(nooptrace.Tracer{}) }},
			"With":  {says, func() { With(rt.Context(), context.Background()) }},
		})
		rt.Close()
		*key = had
	}
	if all := travels(spanKey, baggageKey); len(all) != 2 {
		t.Errorf("there travel %v", all)
	}
}
