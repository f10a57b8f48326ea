package otelfreerun

import (
	"context"
	"encoding/json"
	"slices"

	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/freerun-go/freerun/internal/travel"
)

// The span and the baggage of a message go along to units of other machines, as W3C writes them.

func init() {
	for _, v := range travels(spanKey, baggageKey) {
		travel.Register(v)
	}
}

// travels returns what goes along, under keys of contexts; nothing under a key that is nil.
func travels(span, bag any) []travel.Value {
	all := []travel.Value{{
		Name: "otel.trace", Key: span,
		Encode: func(v any) []byte {
			span, _ := v.(trace.Span)
			return inject(propagation.TraceContext{}, trace.ContextWithSpan(context.Background(), span))
		},
		Decode: func(b []byte) any {
			if ctx := extract(propagation.TraceContext{}, b); trace.SpanContextFromContext(ctx).IsValid() {
				return trace.SpanFromContext(ctx)
			}
			return nil
		},
	}, {
		Name: "otel.baggage", Key: bag,
		Encode: func(v any) []byte {
			return inject(propagation.Baggage{}, context.WithValue(context.Background(), bag, v))
		},
		Decode: func(b []byte) any {
			if ctx := extract(propagation.Baggage{}, b); baggage.FromContext(ctx).Len() > 0 {
				return ctx.Value(bag)
			}
			return nil
		},
	}}
	return slices.DeleteFunc(all, func(v travel.Value) bool { return v.Key == nil })
}

// inject returns what a propagator writes of a context; nil for nothing.
func inject(p propagation.TextMapPropagator, ctx context.Context) []byte {
	carrier := propagation.MapCarrier{}
	if p.Inject(ctx, carrier); len(carrier) == 0 {
		return nil
	}
	b, _ := json.Marshal(carrier) // strings alone
	return b
}

// extract returns a context with what inject has written.
func extract(p propagation.TextMapPropagator, b []byte) context.Context {
	carrier := propagation.MapCarrier{}
	if json.Unmarshal(b, &carrier) != nil {
		return context.Background()
	}
	return p.Extract(context.Background(), carrier)
}
