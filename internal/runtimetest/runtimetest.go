// Package runtimetest has the common helpers for tests of runtimes, in the root package and in the
// folders under tests: a runtime that ends with its test, waits that fail in place of hanging, a
// journal of log entries, a gate that holds an operation, and units that keep all processors busy.
package runtimetest

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
)

// Start returns a runtime, which is closed at the end of the test, and the journal of its log.
func Start(t testing.TB, options ...freerun.Option) (*freerun.Runtime, *Journal) {
	t.Helper()
	j := &Journal{}
	rt := freerun.New(append([]freerun.Option{freerun.Logger(slog.New(j))}, options...)...)
	t.Cleanup(func() { rt.Close() })
	return rt, j
}

// Quiet returns a runtime that logs nothing, and is closed at the end of the test.
func Quiet(t testing.TB, options ...freerun.Option) *freerun.Runtime {
	t.Helper()
	rt := freerun.New(append([]freerun.Option{freerun.Logger(slog.New(slog.DiscardHandler))}, options...)...)
	t.Cleanup(func() { rt.Close() })
	return rt
}

// Within returns a context that ends after a minute, so that a hang becomes a failure.
func Within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// Must returns the result of a future. It waits for at most a minute, and ends the test if the
// future fails.
func Must[R any](t testing.TB, f freerun.Future[R]) R {
	t.Helper()
	v, err := f.Wait(Within(t))
	if err != nil {
		t.Fatalf("future failed: %v", err)
	}
	return v
}

// OnSome runs a test with 1, 2 and 4 processors.
func OnSome(t *testing.T, test func(t *testing.T, processors int)) {
	for _, n := range []int{1, 2, 4} {
		t.Run(string(rune('0'+n))+" processors", func(t *testing.T) { test(t, n) })
	}
}

// Priorities has all priorities, the most urgent first.
var Priorities = []freerun.Priority{freerun.High, freerun.Normal, freerun.Low, freerun.Idle}
