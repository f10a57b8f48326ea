package otelfreerun_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.uber.org/goleak"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/otelfreerun"
	"github.com/freerun-go/freerun/recording"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	add = freerun.Op("add", func(_ *freerun.Context, state *int, n int) (int, error) {
		*state += n
		return *state, nil
	})
	pass = freerun.Op("pass", func(c *freerun.Context, _ *int, to *freerun.Unit[int]) (int, error) {
		return freerun.Forward(c, add.Send(c, to, 1))
	})
)

func start(t *testing.T, options ...freerun.Option) *freerun.Runtime {
	rt := freerun.New(append(options, freerun.Processors(2), freerun.Logger(slog.New(slog.NewTextHandler(io.Discard, nil))))...)
	t.Cleanup(func() { rt.Close() })
	return rt
}

// collect returns the values of all instruments that were observed: "name{processor}", or "name".
func collect(t *testing.T, reader metric.Reader) map[string]int64 {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	values := map[string]int64{}
	for _, s := range all.ScopeMetrics {
		for _, m := range s.Metrics {
			sum, ok := m.Data.(metricdata.Sum[int64])
			if !ok || m.Unit == "" || m.Description == "" {
				t.Errorf("%s is a %T with unit %q, described as %q", m.Name, m.Data, m.Unit, m.Description)
			}
			for _, p := range sum.DataPoints {
				name := m.Name
				if n, ok := p.Attributes.Value(otelfreerun.Processor); ok {
					name = fmt.Sprintf("%s{%d}", name, n.AsInt64())
				}
				if v, ok := p.Attributes.Value("shop"); !ok || v.AsString() != "ada" {
					t.Errorf("%s has the attributes %v", m.Name, p.Attributes.ToSlice())
				}
				values[name] = p.Value
			}
		}
	}
	return values
}

// TestObserve compares the collected values with the runtime's figures.
func TestObserve(t *testing.T) {
	rt := start(t)
	reader := metric.NewManualReader()
	provider := metric.NewMeterProvider(metric.WithReader(reader))
	defer provider.Shutdown(t.Context())
	registration, err := otelfreerun.Observe(rt, provider.Meter("test"), attribute.String("shop", "ada"))
	if err != nil {
		t.Fatal(err)
	}
	u := freerun.NewUnit(rt, 0)
	for range 50 {
		if _, err := add.Send(rt.Context(), u, 1).Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	freerun.Do(rt.Context(), u, func(*freerun.Context, *int) (int, error) { panic("oh") }).Wait(t.Context())
	if err := rt.Quiesce(t.Context()); err != nil {
		t.Fatal(err)
	}
	values, stats := collect(t, reader), rt.Stats()
	want := map[string]int64{
		"freerun.processors": 2, "freerun.messages.pending": 0, "freerun.messages.sent": 51, "freerun.messages.done": 51, "freerun.messages.failed": 1,
		"freerun.failures.lost": 0, "freerun.panics": 1, "freerun.late_operations": 0, "freerun.reports.untold": 0,
	}
	for i, p := range stats.Processors {
		want[fmt.Sprintf("freerun.processor.messages{%d}", i)] = int64(p.Messages)
		want[fmt.Sprintf("freerun.processor.steals{%d}", i)] = int64(p.Steals)
		want[fmt.Sprintf("freerun.processor.stolen_tasks{%d}", i)] = int64(p.Stolen)
	}
	for name, value := range want {
		if got, ok := values[name]; !ok || got != value {
			t.Errorf("%s is %d (observed: %v), want %d", name, got, ok, value)
		}
	}
	if n := 9 + 7*len(stats.Processors); len(values) != n {
		t.Errorf("%d values are observed, want %d: %v", len(values), n, values)
	}
	if err := registration.Unregister(); err != nil {
		t.Fatal(err)
	}
	if left := collect(t, reader); len(left) != 0 {
		t.Errorf("after the end of the registration %v is observed", left)
	}
}

// TestSpans makes spans of a recording with known times.
func TestSpans(t *testing.T) {
	begin := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	recorded := &recording.Trace{
		Start: begin, End: 1000, Processors: 2, Operations: []string{"", "parent", "child"}, Sent: 3,
		Units: []recording.Unit{{}, {Name: "ada", State: "int"}},
		Events: []recording.Event{
			{Time: 0, Kind: recording.KindSend, Message: 1, Operation: 1, Unit: 1, Processor: recording.Outside},
			{Time: 100, Kind: recording.KindRunBegin, Message: 1, Operation: 1, Unit: 1},
			{Time: 150, Kind: recording.KindSend, Message: 2, Other: 1, Operation: 2},
			{Time: 160, Kind: recording.KindReady, Message: 2},
			{Time: 180, Kind: recording.KindRunBegin, Message: 2, Operation: 2, Processor: 1},
			{Time: 200, Kind: recording.KindRunEnd, Message: 2, Operation: 2, Processor: 1},
			{Time: 300, Kind: recording.KindRunEnd, Message: 1, Operation: 1, Unit: 1},
			// Not begun.
			{Time: 400, Kind: recording.KindSend, Message: 3, Operation: 1, Unit: 1, Processor: recording.Outside},
		},
	}
	exporter := tracetest.NewInMemoryExporter()
	provider := sdk.NewTracerProvider(sdk.WithSyncer(exporter))
	defer provider.Shutdown(context.Background())
	ctx, root := provider.Tracer("test").Start(t.Context(), "root")
	if n := otelfreerun.Spans(ctx, provider.Tracer("test"), recorded); n != 2 {
		t.Errorf("%d spans, want 2", n)
	}
	spans := map[string]tracetest.SpanStub{}
	for _, s := range exporter.GetSpans() {
		spans[s.Name] = s
	}
	parent, child := spans["parent"], spans["child"]
	if len(spans) != 2 || parent.Parent.SpanID() != root.SpanContext().SpanID() || child.Parent.SpanID() != parent.SpanContext.SpanID() {
		t.Errorf("the spans are %+v", spans)
	}
	if !parent.StartTime.Equal(begin.Add(100)) || !parent.EndTime.Equal(begin.Add(300)) || !child.StartTime.Equal(begin.Add(180)) || !child.EndTime.Equal(begin.Add(200)) {
		t.Errorf("the times are %v to %v and %v to %v", parent.StartTime, parent.EndTime, child.StartTime, child.EndTime)
	}
	for _, c := range []struct {
		span tracetest.SpanStub
		want []attribute.KeyValue
	}{
		{parent, []attribute.KeyValue{otelfreerun.Ran.Float64(200e-9), otelfreerun.Processor.Int(0), otelfreerun.Wait.Float64(100e-9), otelfreerun.Unit.String("ada"), otelfreerun.State.String("int")}},
		{child, []attribute.KeyValue{otelfreerun.Ran.Float64(20e-9), otelfreerun.Processor.Int(1), otelfreerun.Wait.Float64(30e-9)}},
	} {
		if got, want := attribute.NewSet(c.span.Attributes...), attribute.NewSet(c.want...); !got.Equals(&want) {
			t.Errorf("%s has the attributes %v, want %v", c.span.Name, c.span.Attributes, c.want)
		}
	}
	if len(parent.Events) != 1 || parent.Events[0].Name != "sent" || !parent.Events[0].Time.Equal(begin) {
		t.Errorf("the parent's events are %v", parent.Events)
	}
	if len(child.Events) != 2 || child.Events[1].Name != "ready" || !child.Events[1].Time.Equal(begin.Add(160)) {
		t.Errorf("the child's events are %v", child.Events)
	}
}

// TestSpansOfARuntime records a runtime in which one unit forwards messages to another.
func TestSpansOfARuntime(t *testing.T) {
	rt := start(t)
	from, to := freerun.NewUnit(rt, 0), freerun.NewUnit(rt, 0, freerun.UnitName("ada"))
	stop := make(chan struct{})
	var sender sync.WaitGroup
	sender.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				pass.Send(rt.Context(), from, to).Wait(context.Background())
			}
		}
	})
	defer sender.Wait()
	defer close(stop)
	for {
		recorded, err := rt.Sample(t.Context(), time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		spans := tracetest.NewSpanRecorder()
		provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(spans))
		n := otelfreerun.Spans(t.Context(), provider.Tracer("test"), recorded)
		if len(spans.Ended()) != n {
			t.Fatalf("%d spans have ended of %d", len(spans.Ended()), n)
		}
		passed := map[string]bool{}
		for _, s := range spans.Ended() {
			if s.Name() == freerun.NameOf(pass) {
				passed[s.SpanContext().SpanID().String()] = true
			}
		}
		for _, s := range spans.Ended() {
			if s.Name() == freerun.NameOf(add) && passed[s.Parent().SpanID().String()] {
				return // the other operation sent it
			}
		}
	}
}

func TestMisuse(t *testing.T) {
	for name, f := range map[string]func(){
		"Observe": func() { otelfreerun.Observe(nil, noop.Meter{}) },
		"Spans":   func() { otelfreerun.Spans(t.Context(), nil, nil) },
	} {
		func() {
			defer func() {
				if p, _ := recover().(string); !strings.HasPrefix(p, "otelfreerun: "+name) {
					t.Errorf("%s panics with %q", name, p)
				}
			}()
			f()
		}()
	}
}
