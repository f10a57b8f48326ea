package otelfreerun_test

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/otelfreerun"
	"github.com/freerun-go/freerun/recording"
)

// The figures of a runtime are observed whenever a reader collects. A program has an exporter in
// place of this manual reader.
func ExampleObserve() {
	ctx := context.Background()
	rt := freerun.New(freerun.Processors(2))
	defer rt.Close()
	reader := metric.NewManualReader()
	provider := metric.NewMeterProvider(metric.WithReader(reader))
	defer provider.Shutdown(ctx)

	registration, err := otelfreerun.Observe(rt, provider.Meter("example.org/shop"), attribute.String("shop", "ada"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer registration.Unregister()

	add.Call(ctx, freerun.NewUnit(rt, 100), 5)
	var collected metricdata.ResourceMetrics
	if err := reader.Collect(ctx, &collected); err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range collected.ScopeMetrics[0].Metrics {
		if sum, ok := m.Data.(metricdata.Sum[int64]); ok && m.Name == "freerun.messages.sent" {
			fmt.Println(m.Name, sum.DataPoints[0].Value)
		}
	}
	// Output: freerun.messages.sent 1
}

// A recording becomes a span for each message. Here it is written down; a program gets one from
// Runtime.Sample or from a file.
func ExampleSpans() {
	ctx := context.Background()
	recorded := &recording.Trace{
		Start: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), End: 1000, Processors: 1, Sent: 1,
		Operations: []string{"", "shop.deposit"},
		Units:      []recording.Unit{{}, {Name: "ada", State: "int"}},
		Events: []recording.Event{
			{Time: 0, Kind: recording.KindSend, Message: 1, Operation: 1, Unit: 1, Processor: recording.Outside},
			{Time: 100, Kind: recording.KindRunBegin, Message: 1, Operation: 1, Unit: 1},
			{Time: 300, Kind: recording.KindRunEnd, Message: 1, Operation: 1, Unit: 1},
		},
	}
	exporter := tracetest.NewInMemoryExporter()
	provider := sdk.NewTracerProvider(sdk.WithSyncer(exporter))
	defer provider.Shutdown(ctx)

	fmt.Println(otelfreerun.Spans(ctx, provider.Tracer("example.org/shop"), recorded))
	for _, span := range exporter.GetSpans() {
		fmt.Println(span.Name, span.EndTime.Sub(span.StartTime))
	}
	// Output:
	// 1
	// shop.deposit 200ns
}
