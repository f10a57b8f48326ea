package otelfreerun_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/trace"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/otelfreerun"
)

// TestLogHandler: a record of an operation has its span, and with freerun.LogHandler the rest, too.
func TestLogHandler(t *testing.T) {
	var to bytes.Buffer
	log := slog.New(otelfreerun.LogHandler(freerun.LogHandler(slog.NewTextHandler(&to, nil)))).With("n", 1)
	quiet := &canned{span: recordingNoop{of: sampled(trace.FlagsSampled)}}
	rt := start(t, otelfreerun.Trace(quiet)...)
	u := freerun.NewUnit(rt, 0, freerun.UnitName("ada"))
	write := func(c *freerun.Context, _ *int) (int, error) {
		log.InfoContext(c, "here")
		return 0, nil
	}
	const ids = "trace_id=01000000000000000000000000000000 span_id=0200000000000000"
	for _, x := range []struct {
		c      *freerun.Context
		traced bool
	}{
		{otelfreerun.With(rt.Context(), trace.ContextWithSpanContext(t.Context(), quiet.span.of)), true},
		{rt.Context(), false},
	} {
		to.Reset()
		if _, err := freerun.Do(x.c, u, write).Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		line := to.String()
		if strings.Contains(line, ids) != x.traced || strings.Contains(line, "trace_id") != x.traced || !strings.Contains(line, " n=1 ") || !strings.Contains(line, "unit=ada") {
			t.Errorf("with a trace: %v: %s", x.traced, line)
		}
	}
	to.Reset()
	if log.Debug("here"); to.Len() != 0 {
		t.Errorf("the level is ignored: %s", to.String())
	}
	log.WithGroup("g").InfoContext(trace.ContextWithSpanContext(t.Context(), quiet.span.of), "here")
	if !strings.Contains(to.String(), "g.span_id=0200000000000000") {
		t.Errorf("in a group: %s", to.String())
	}
}
