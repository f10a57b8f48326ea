// Package otelfreerun shows a freerun runtime to OpenTelemetry: its operations as spans while they
// run, its figures as metrics, and recordings of it as spans.
//
//	what                                              use
//	a span for each operation of a sampled trace      [Trace]
//	the trace of a request in what is sent for it     [With]; [freerun.Operation.Call] by itself
//	trace and span in records of log/slog             [LogHandler]
//	a runtime's figures, whenever a reader collects   [Observe]
//	a recording, as a span for each message           [Spans]
//
//	rt := freerun.New(otelfreerun.Trace(otel.Tracer("example.org/shop"))...)
//
//	registration, err := otelfreerun.Observe(rt, otel.Meter("example.org/shop"))
//	defer registration.Unregister()
//
//	recording, err := rt.Sample(ctx, 10*time.Millisecond) // every message of ten milliseconds
//	otelfreerun.Spans(ctx, otel.Tracer("example.org/shop"), recording)
//
// The package needs only the API of OpenTelemetry; the program chooses the SDK and the exporter.
// Without [Trace], it costs nothing between two collections.
package otelfreerun
