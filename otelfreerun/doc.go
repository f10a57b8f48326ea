// Package otelfreerun shows a freerun runtime to OpenTelemetry: its figures as metrics, and
// recordings of it as spans.
//
//	what                                              use
//	a runtime's figures, whenever a reader collects   [Observe]
//	a recording, as a span for each message           [Spans]
//
//	registration, err := otelfreerun.Observe(rt, otel.Meter("example.org/shop"))
//	defer registration.Unregister()
//
//	recording, err := rt.Sample(ctx, 10*time.Millisecond) // every message of ten milliseconds
//	otelfreerun.Spans(ctx, otel.Tracer("example.org/shop"), recording)
//
// The package needs only the API of OpenTelemetry; the program chooses the SDK and the exporter.
// Between two collections it costs nothing.
package otelfreerun
