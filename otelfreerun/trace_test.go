package otelfreerun_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/otelfreerun"
)

// traced is a runtime with Trace, and what its spans are exported to.
type traced struct {
	*freerun.Runtime
	t        *testing.T
	tracer   trace.Tracer
	exporter *tracetest.InMemoryExporter
	provider *sdk.TracerProvider
}

func startTraced(t *testing.T, sampler sdk.Sampler, options ...otelfreerun.TraceOption) *traced {
	x := &traced{t: t, exporter: tracetest.NewInMemoryExporter()}
	x.provider = sdk.NewTracerProvider(sdk.WithSyncer(x.exporter), sdk.WithSampler(sampler))
	x.tracer = x.provider.Tracer("test")
	x.Runtime = start(t, otelfreerun.Trace(x.tracer, options...)...)
	return x
}

// spans waits until the runtime has quiesced and returns all spans that have ended, by their names.
func (x *traced) spans() map[string]tracetest.SpanStub {
	x.t.Helper()
	if err := x.Quiesce(x.t.Context()); err != nil {
		x.t.Fatal(err)
	}
	all := map[string]tracetest.SpanStub{}
	for _, s := range x.exporter.GetSpans() {
		name := s.Name[strings.LastIndexByte(s.Name, '.')+1:]
		if _, twice := all[name]; twice {
			x.t.Errorf("two spans are called %s", name)
		}
		all[name] = s
	}
	return all
}

// isBelow checks that one span is the child of another.
func isBelow(t *testing.T, child tracetest.SpanStub, parent trace.SpanContext) {
	t.Helper()
	if !child.SpanContext.IsValid() || child.Parent.SpanID() != parent.SpanID() || child.SpanContext.TraceID() != parent.TraceID() {
		t.Errorf("the parent of %q is %v, want %v", child.Name, child.Parent.SpanID(), parent.SpanID())
	}
}

func has(t *testing.T, s tracetest.SpanStub, want ...attribute.KeyValue) {
	t.Helper()
	if got, want := attribute.NewSet(s.Attributes...), attribute.NewSet(want...); !got.Equals(&want) {
		t.Errorf("%s has the attributes %v, want %v", s.Name, s.Attributes, want.ToSlice())
	}
}

var (
	drawers = freerun.NewKind[string, int]("drawer", func(*freerun.Context, string) (int, error) { return 0, nil })
	errRed  = errors.New("in the red")

	put = freerun.Op("put", func(_ *freerun.Context, in *int, n int) (int, error) {
		*in += n
		return *in, nil
	})
	order = freerun.Op("order", func(c *freerun.Context, _ *int, n int) (int, error) {
		return freerun.Forward(c, put.Send(c.WithPriority(freerun.High), drawers.At(c, "ada"), n))
	})
	refuse = freerun.FreeOp("refuse", func(*freerun.Context, int) (int, error) { return 0, errRed })
	crash  = freerun.FreeOp("crash", func(*freerun.Context, int) (int, error) { panic("oh") })
	begin  = freerun.Op("begin", func(c *freerun.Context, _ *int, _ int) (int, error) {
		u := freerun.NewUnit(c.Runtime(), 0)
		add.SendAfter(c, time.Nanosecond, u, 1)
		activity.Go(c, func(a *activity.Activity) { put.Send(freerun.ContextOf(a), u, 1).Await(a) })
		return 0, nil
	})
	both = freerun.Op2("both", func(_ *freerun.Context, a, b *int, n int) (int, error) { return *a + *b + n, nil })
)

// TestTrace: the spans of operations are below that of the request, one below the other, and say
// what ran, and how it ended.
func TestTrace(t *testing.T) {
	x := startTraced(t, sdk.ParentBased(sdk.NeverSample())) // who begins a trace decides
	begin := time.Now()
	request := sampled(trace.FlagsSampled)
	ctx := trace.ContextWithRemoteSpanContext(t.Context(), request)
	counter := freerun.NewUnit(x.Runtime, 0, freerun.UnitName("counter"))
	if n, err := order.Call(ctx, counter, 5); n != 5 || err != nil {
		t.Fatal(n, err)
	}
	if _, err := refuse.Call(ctx, x.Runtime, 0); err != errRed {
		t.Fatal(err)
	}
	var crashed *freerun.PanicError
	if _, err := crash.Call(ctx, x.Runtime, 0); !errors.As(err, &crashed) {
		t.Fatal(err)
	}
	if n, err := both.Call(ctx, counter, drawers.At(x.Context(), "ada"), 1); n != 6 || err != nil {
		t.Fatal(n, err)
	}
	all := x.spans()
	if len(all) != 5 {
		t.Errorf("there are %d spans, want 5", len(all))
	}
	isBelow(t, all["order"], request)
	has(t, all["order"], otelfreerun.Unit.String("counter"))
	isBelow(t, all["put"], all["order"].SpanContext)
	has(t, all["put"], otelfreerun.Unit.String("otelfreerun_test.drawer(ada)"), otelfreerun.Kind.String("otelfreerun_test.drawer"), otelfreerun.Key.String("ada"), otelfreerun.Priority.String("high"))
	isBelow(t, all["both"], request)
	has(t, all["both"], otelfreerun.Units.StringSlice([]string{"counter", "otelfreerun_test.drawer(ada)"}))
	has(t, all["refuse"])
	for name, want := range map[string]sdk.Status{
		"order": {}, "put": {}, "both": {},
		"refuse": {Code: codes.Error, Description: "in the red"},
		"crash":  {Code: codes.Error, Description: "the operation has panicked"},
	} {
		s := all[name]
		if s.Status != want {
			t.Errorf("the status of %s is %v", name, s.Status)
		}
		if s.StartTime.Before(begin) || s.EndTime.Before(s.StartTime) {
			t.Errorf("%s was from %v to %v", name, s.StartTime, s.EndTime)
		}
	}
	if full := freerun.NameOf(put); all["put"].Name != full {
		t.Errorf("a span is called %s", all["put"].Name)
	}
	if e := all["refuse"].Events; len(e) != 1 || e[0].Name != "exception" {
		t.Errorf("the events of a failure: %v", e)
	}
}

// TestTraceNothing: without a trace, and below one that is not sampled, no span is started.
func TestTraceNothing(t *testing.T) {
	x := startTraced(t, sdk.AlwaysSample())
	u := freerun.NewUnit(x.Runtime, 0)
	for _, ctx := range []context.Context{t.Context(), trace.ContextWithRemoteSpanContext(t.Context(), sampled(0))} {
		if _, err := order.Call(ctx, u, 1); err != nil {
			t.Fatal(err)
		}
	}
	if all := x.spans(); len(all) != 0 {
		t.Errorf("there are spans: %v", all)
	}
}

// TestTraceLinks: a continuation has links to what it has waited for, be it done before or not.
func TestTraceLinks(t *testing.T) {
	x := startTraced(t, sdk.AlwaysSample())
	scope := x.Scope(trace.ContextWithRemoteSpanContext(t.Context(), sampled(trace.FlagsSampled)))
	u, v := freerun.NewUnit(x.Runtime, 0), freerun.NewUnit(x.Runtime, 0)
	name := func(s tracetest.SpanStub) string { return s.Name[strings.LastIndexByte(s.Name, '.')+1:] }
	for round, at := range map[string]*freerun.Context{
		"scope": scope.Context(),
		"none":  otelfreerun.With(x.Context(), trace.ContextWithRemoteSpanContext(t.Context(), sampled(trace.FlagsSampled))),
	} {
		x.exporter.Reset()
		done := add.Send(at, u, 1)
		if _, err := done.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		open := pass.Send(at, v, u)
		sum := freerun.Then2(at, done, open, func(_ *freerun.Context, a, b int) (int, error) { return a + b, nil })
		if _, err := sum.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := x.Quiesce(t.Context()); err != nil {
			t.Fatal(err)
		}
		spans := map[trace.SpanID]tracetest.SpanStub{}
		for _, s := range x.exporter.GetSpans() {
			spans[s.SpanContext.SpanID()] = s
		}
		found := false
		for _, s := range spans {
			var links []string
			for _, l := range s.Links {
				links = append(links, name(spans[l.SpanContext.SpanID()]))
			}
			if strings.Contains(s.Name, "TestTraceLinks") {
				found = true
				if !slices.Equal(links, []string{"add", "pass"}) {
					t.Errorf("%s: the links of the continuation are to %v", round, links)
				}
			} else if len(links) > 0 {
				t.Errorf("%s: %s has links to %v", round, s.Name, links)
			}
		}
		if len(spans) != 4 || !found {
			t.Errorf("%s: there are %d spans, and that of the continuation among them: %v", round, len(spans), found)
		}
	}
	if err := scope.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestTraceRoots: operations without a trace begin one if the sampler says so, which is asked once
// for all that follows.
func TestTraceRoots(t *testing.T) {
	for _, samples := range []bool{true, false} {
		sampler := &counting{Sampler: sdk.ParentBased(sdk.AlwaysSample())}
		want := 2
		if !samples {
			sampler.Sampler, want = sdk.NeverSample(), 0
		}
		x := startTraced(t, sampler, otelfreerun.Roots())
		order.Tell(x.Context(), freerun.NewUnit(x.Runtime, 0), 1)
		all := x.spans()
		if len(all) != want || sampler.asked != max(1, want) {
			t.Errorf("sampling: %v: there are %d spans, and the sampler was asked %d times", samples, len(all), sampler.asked)
		}
		if samples {
			if all["order"].Parent.IsValid() {
				t.Errorf("the first operation has a parent")
			}
			isBelow(t, all["put"], all["order"].SpanContext)
		}
	}
}

// counting is a sampler that counts.
type counting struct {
	sdk.Sampler
	asked int // one operation after another
}

func (s *counting) ShouldSample(p sdk.SamplingParameters) sdk.SamplingResult {
	s.asked++
	return s.Sampler.ShouldSample(p)
}

// TestTraceContext: the context of an operation is one of OpenTelemetry: what uses it finds the
// span and the baggage, and a trace that it begins goes on in what is sent With its context.
func TestTraceContext(t *testing.T) {
	x := startTraced(t, sdk.AlwaysSample())
	member, _ := baggage.NewMember("tenant", "acme")
	bag, _ := baggage.New(member)
	incoming := propagation.MapCarrier{"traceparent": "00-0102030405060708090a0b0c0d0e0f10-0102030405060708-01", "baggage": "tenant=acme"}
	both := propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})
	outgoing := propagation.MapCarrier{}
	u := freerun.NewUnit(x.Runtime, 0)
	work := func(c *freerun.Context, _ *int) (int, error) {
		both.Inject(c, outgoing)
		ctx, span := x.tracer.Start(c, "part")
		defer span.End()
		return freerun.Forward(c, add.Send(otelfreerun.With(c, ctx), u, 1))
	}
	ctx := both.Extract(t.Context(), incoming)
	if _, err := freerun.Do(otelfreerun.With(x.Context(), ctx), u, work).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := x.spans()
	var closure tracetest.SpanStub
	for _, s := range all {
		if strings.Contains(s.Name, "TestTraceContext") {
			closure = s
		}
	}
	if closure.Parent.SpanID().String() != "0102030405060708" || !closure.Parent.IsRemote() {
		t.Errorf("the parent of the operation is %v", closure.Parent)
	}
	isBelow(t, all["part"], closure.SpanContext)
	isBelow(t, all["add"], all["part"].SpanContext)
	if want := "00-0102030405060708090a0b0c0d0e0f10-" + closure.SpanContext.SpanID().String() + "-01"; outgoing["traceparent"] != want {
		t.Errorf("what goes out has the trace %q, want %q", outgoing["traceparent"], want)
	}
	if outgoing["baggage"] != bag.String() {
		t.Errorf("what goes out has the baggage %q", outgoing["baggage"])
	}
	if c := x.Context(); otelfreerun.With(c, t.Context()) != c {
		t.Error("With makes a context for nothing")
	}
}

// TestTraceTravels: a trace reaches what a timer sends, activities, which have no span of their
// own, and what these send.
func TestTraceTravels(t *testing.T) {
	x := startTraced(t, sdk.AlwaysSample())
	u := freerun.NewUnit(x.Runtime, 0)
	if _, err := begin.Call(trace.ContextWithSpanContext(t.Context(), sampled(trace.FlagsSampled)), u, 0); err != nil {
		t.Fatal(err)
	}
	all := x.spans()
	if len(all) != 3 {
		t.Errorf("there are %d spans", len(all))
	}
	isBelow(t, all["add"], all["begin"].SpanContext)
	isBelow(t, all["put"], all["begin"].SpanContext)
}
