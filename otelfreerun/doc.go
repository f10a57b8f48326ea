// Package otelfreerun tells OpenTelemetry about a freerun runtime: its figures as metrics, and recordings of it as spans.
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
// It needs the API of OpenTelemetry only; which SDK and exporter there are is the program's business. Nothing is paid between two collections.
package otelfreerun
