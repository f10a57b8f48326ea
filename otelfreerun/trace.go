package otelfreerun

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/spans"
)

// The keys of the attributes that only spans of [Trace] have.
const (
	Kind     = attribute.Key("freerun.kind")     // the name of the unit's kind
	Key      = attribute.Key("freerun.key")      // the text of the unit's key
	Units    = attribute.Key("freerun.units")    // the names of several units
	Priority = attribute.Key("freerun.priority") // "high", "low" or "idle"
)

// Trace returns the options of a runtime whose operations have spans, which tracer starts, while
// they run:
//
//	rt := freerun.New(otelfreerun.Trace(otel.Tracer("example.org/shop"))...)
//
// An operation has a span if its message has come with one that is sampled. That is so for what
// [freerun.Operation.Call] sends with the context of a request that has a span, for what is sent
// through a context of [With] or of a scope that was made with such a context, and for all that
// follows. The span is a child of that of the operation, or the request, that has sent the message;
// so who decides whether a trace is sampled is who begins it. Operations without a trace have no
// span, unless [Roots] says otherwise.
//
// A span has the full name of the operation and, where there is one, the unit's name, kind and key,
// and a priority other than normal. An error that the operation returns is the status of the span,
// and so is a panic. The span ends when the operation has returned, also if its future waits for
// others, or its outcome for a store. It has a link to the span of each operation whose future came
// in its argument: that is what a continuation ([freerun.Then]) has waited for.
//
// The context of the operation has the span, as each context of OpenTelemetry has: hand it to
// instrumented clients of databases and networks, to [trace.SpanFromContext], and to a propagator,
// which writes the trace into a request that leaves the process. [baggage.Baggage] travels as the
// span does. Activities and branches of joins have no spans of their own, but that context.
//
// What is stored does not keep its trace: messages of durable units that leave with a write, the
// durable timers, and commands to other machines have none. See docs/tracing.md.
//
// A runtime without Trace pays nothing. With it each operation costs what an interceptor does
// ([freerun.InterceptAll]), and small operations are not inlined. It panics if tracer is nil.
func Trace(tracer trace.Tracer, options ...TraceOption) []freerun.Option {
	if tracer == nil {
		panic("otelfreerun: Trace needs a tracer")
	}
	needKeys()
	t := &tracing{tracer: tracer}
	for _, o := range options {
		if o.apply == nil {
			panic("otelfreerun: Trace with a zero TraceOption; the functions that return one make it")
		}
		o.apply(t)
	}
	return []freerun.Option{freerun.InterceptAll(t.around), freerun.CarryValues(spanKey, baggageKey)}
}

// TraceOption is a setting of [Trace].
type TraceOption struct{ apply func(t *tracing) }

// Roots has operations that have no trace begin one, if the sampler of the tracer's provider says
// so: what a timer sends, or an ordinary goroutine through [freerun.Runtime.Context]. What follows
// from an operation whose trace is not sampled begins no other.
func Roots() TraceOption { return TraceOption{func(t *tracing) { t.roots = true }} }

// With returns a context for sends from where c is that has the span and the baggage of ctx, which
// travel with all that follows:
//
//	bookOrder.Send(otelfreerun.With(rt.Context(), r.Context()), place, order) // of a request
//
//	ctx, span := tracer.Start(c, "fetch") // in an operation
//	defer span.End()
//	fetched.Tell(otelfreerun.With(c, ctx), place, order)
//
// The context of an operation has its span already, and [freerun.Operation.Call] takes that of its
// context. It costs what [freerun.Context.WithValue] does, twice with baggage; nothing if ctx has
// neither. It panics if c or ctx is nil.
func With(c *freerun.Context, ctx context.Context) *freerun.Context {
	if c == nil || ctx == nil {
		panic("otelfreerun: With needs two contexts")
	}
	needKeys()
	if trace.SpanContextFromContext(ctx).IsValid() {
		c = c.WithValue(spanKey, trace.SpanFromContext(ctx))
	}
	if baggage.FromContext(ctx).Len() > 0 {
		c = c.WithValue(baggageKey, ctx.Value(baggageKey))
	}
	return c
}

// tracing is what the operations of runtimes with the options of one Trace have in common.
type tracing struct {
	tracer trace.Tracer
	roots  bool
}

var seam = spans.For[*freerun.Invocation]()

// around is called around each operation.
func (t *tracing) around(c *freerun.Context, i *freerun.Invocation) error {
	switch sent := trace.SpanContextFromContext(c); {
	case sent.IsSampled():
		return t.run(c, i)
	case t.roots && !sent.IsValid():
		return t.run(c, i)
	}
	return i.Next(c)
}

// run runs an operation with a span.
func (t *tracing) run(c *freerun.Context, i *freerun.Invocation) error {
	_, span := t.tracer.Start(c, i.Operation)
	if span.IsRecording() {
		describeRun(c, i, span)
		if seam.Answers(i) {
			seam.Sign(i, span.SpanContext()) // not the span: the future may be kept for long
		}
	}
	returned := false
	defer func() {
		if !returned {
			span.SetStatus(codes.Error, "the operation has panicked")
		}
		span.End()
	}()
	err := i.Next(c.WithValue(spanKey, span))
	returned = true
	if err != nil {
		span.RecordError(err)
		span.SetStatus(codes.Error, err.Error())
	}
	return err
}
