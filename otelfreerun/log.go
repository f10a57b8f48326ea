package otelfreerun

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/trace"
)

// LogHandler returns a handler that adds to each record that is logged with a context with a span
// the attributes trace_id and span_id, and hands it on to next. With [freerun.LogHandler] the
// records of operations have their operation and unit, too:
//
//	json := slog.NewJSONHandler(os.Stderr, nil)
//	log := slog.New(otelfreerun.LogHandler(freerun.LogHandler(json)))
//
// Any goroutine may call it, and the handler. It panics if next is nil.
func LogHandler(next slog.Handler) slog.Handler {
	if next == nil {
		panic("otelfreerun: LogHandler needs a handler")
	}
	return &logHandler{next}
}

type logHandler struct{ next slog.Handler }

func (h *logHandler) Enabled(ctx context.Context, l slog.Level) bool { return h.next.Enabled(ctx, l) }

func (h *logHandler) Handle(ctx context.Context, r slog.Record) error {
	if of := trace.SpanContextFromContext(ctx); of.IsValid() {
		r = r.Clone() // other handlers may have it, too
		r.AddAttrs(slog.String("trace_id", of.TraceID().String()), slog.String("span_id", of.SpanID().String()))
	}
	return h.next.Handle(ctx, r)
}

func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &logHandler{h.next.WithAttrs(attrs)}
}

func (h *logHandler) WithGroup(name string) slog.Handler {
	return &logHandler{h.next.WithGroup(name)}
}
