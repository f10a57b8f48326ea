package otelfreerun_test

import (
	"context"
	"runtime"
	"slices"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/otelfreerun"
)

// canned is a tracer that starts always the same span, which records nothing: what is left is the
// cost of package otelfreerun.
type canned struct {
	noop.Tracer
	span recordingNoop
}

func (t *canned) Start(ctx context.Context, _ string, _ ...trace.SpanStartOption) (context.Context, trace.Span) {
	return ctx, &t.span
}

type recordingNoop struct {
	noop.Span
	of trace.SpanContext
}

func (s *recordingNoop) IsRecording() bool              { return true }
func (s *recordingNoop) SpanContext() trace.SpanContext { return s.of }

func sampled(flags trace.TraceFlags) trace.SpanContext {
	return trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: flags})
}

type burst struct {
	u    *freerun.Unit[int]
	n    int
	step *freerun.Operation[int, step, int]
}

// fire sends n messages to one unit, and ends with the last of them.
var fire = freerun.FreeOp("fire", func(c *freerun.Context, b burst) (int, error) {
	for range b.n - 1 {
		b.step.Tell(c, b.u, step{})
	}
	return freerun.Forward(c, b.step.Send(c, b.u, step{}))
})

type step struct{}

var (
	leaf = freerun.Op("leaf", func(*freerun.Context, *int, step) (int, error) { return 0, nil })
	end  = freerun.FreeOp("end", func(*freerun.Context, step) (int, error) { return 0, nil })
	// passOn is an operation that sends one message.
	passOn = freerun.Op("passOn", func(c *freerun.Context, _ *int, _ step) (int, error) { return 0, end.Tell(c, step{}) })
)

// BenchmarkTrace has messages to a unit run in turns of variants: without Trace; with it, without a
// trace, with one that is not sampled, and sampled with a tracer that does nothing; with an SDK
// that never samples, and that always does; and the SDK alone. It reports the medians for each
// message. Each variant but the last comes twice: with operations that send nothing, and with those
// that send a message to one that does not; the figures of these are of both messages.
func BenchmarkTrace(b *testing.B) {
	never, always := sdk.NewTracerProvider(sdk.WithSampler(sdk.NeverSample())), sdk.NewTracerProvider(sdk.WithSpanProcessor(discard{}))
	quiet := &canned{span: recordingNoop{of: sampled(trace.FlagsSampled)}}
	type variant struct {
		name    string
		options []freerun.Option
		sent    trace.SpanContext
		times   [2][]float64
		allocs  [2]float64
		run     func(n int, by *freerun.Operation[int, step, int])
	}
	const n = 10000
	variants := []*variant{
		{name: "off"},
		{name: "no-trace", options: otelfreerun.Trace(quiet)},
		{name: "not-sampled", options: otelfreerun.Trace(quiet), sent: sampled(0)},
		{name: "sampled", options: otelfreerun.Trace(quiet), sent: sampled(trace.FlagsSampled)},
		{name: "sdk-roots-never", options: otelfreerun.Trace(never.Tracer("bench"), otelfreerun.Roots())},
		{name: "sdk-always", options: otelfreerun.Trace(always.Tracer("bench")), sent: sampled(trace.FlagsSampled)},
		{name: "sdk-alone"},
	}
	for _, v := range variants {
		if v.name == "sdk-alone" {
			tracer, from := always.Tracer("bench"), trace.ContextWithSpanContext(b.Context(), sampled(trace.FlagsSampled))
			v.run = func(n int, _ *freerun.Operation[int, step, int]) {
				for range n {
					_, span := tracer.Start(from, "operation")
					span.SetAttributes(attribute.String("freerun.unit", "ada"))
					span.End()
				}
			}
			continue
		}
		rt := freerun.New(append(v.options, freerun.Processors(1))...)
		defer rt.Close()
		u := freerun.NewUnit(rt, 0, freerun.UnitName("ada"))
		ctx := trace.ContextWithSpanContext(b.Context(), v.sent)
		v.run = func(n int, by *freerun.Operation[int, step, int]) {
			if _, err := fire.Call(ctx, rt, burst{u, n, by}); err != nil {
				b.Fatal(err)
			}
			if err := rt.Quiesce(ctx); err != nil {
				b.Fatal(err)
			}
		}
	}
	for b.Loop() {
		for _, v := range variants {
			for form, by := range []*freerun.Operation[int, step, int]{leaf, passOn} {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				begin := time.Now()
				v.run(n, by)
				v.times[form] = append(v.times[form], float64(time.Since(begin).Nanoseconds())/n)
				runtime.ReadMemStats(&after)
				v.allocs[form] = float64(after.Mallocs-before.Mallocs) / n
			}
		}
	}
	for _, v := range variants {
		for form, name := range []string{"leaf", "sending"} {
			slices.Sort(v.times[form])
			b.ReportMetric(v.times[form][len(v.times[form])/10], v.name+"-"+name+"-ns")
			b.ReportMetric(v.allocs[form], v.name+"-"+name+"-allocs")
		}
	}
	b.ReportMetric(0, "ns/op")
}

// discard is a processor of spans without an exporter.
type discard struct{}

func (discard) OnStart(context.Context, sdk.ReadWriteSpan) {}
func (discard) OnEnd(sdk.ReadOnlySpan)                     {}
func (discard) Shutdown(context.Context) error             { return nil }
func (discard) ForceFlush(context.Context) error           { return nil }
