package otelfreerun

import (
	"context"

	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/trace"
)

// A span and the baggage travel under the keys under which OpenTelemetry itself looks for them in a
// context, so that it finds them in a freerun.Context as in any other. It does not export these
// keys, but asks for them. A key is nil if this version of OpenTelemetry asks for none: who needs
// no keys can do without.
var (
	spanKey    = askedFor(func(ctx context.Context) { trace.SpanFromContext(ctx) })
	baggageKey = askedFor(func(ctx context.Context) { baggage.FromContext(ctx) })
)

// askedFor returns the key that a function asks a context for, nil for none.
func askedFor(by func(ctx context.Context)) any {
	p := &probe{Context: context.Background()}
	by(p)
	return p.key
}

// needKeys panics unless there are both keys.
func needKeys() {
	if spanKey == nil || baggageKey == nil {
		panic("otelfreerun: this version of OpenTelemetry keeps spans and baggage elsewhere than in a context")
	}
}

// probe is a context that notes which key it was asked for.
type probe struct {
	context.Context
	key any
}

func (p *probe) Value(key any) any {
	p.key = key
	return nil
}
