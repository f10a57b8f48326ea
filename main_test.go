package freerun_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// journal is a slog handler that keeps what it is told.
type journal struct {
	mu      sync.Mutex
	entries []slog.Record
}

func (j *journal) Enabled(context.Context, slog.Level) bool { return true }
func (j *journal) WithAttrs([]slog.Attr) slog.Handler       { return j }
func (j *journal) WithGroup(string) slog.Handler            { return j }
func (j *journal) Handle(_ context.Context, r slog.Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = append(j.entries, r)
	return nil
}

// texts returns the messages and attributes so far, one string an entry.
func (j *journal) texts() (all []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range j.entries {
		text := r.Level.String() + " " + r.Message
		r.Attrs(func(a slog.Attr) bool {
			text += " " + a.String()
			return true
		})
		all = append(all, text)
	}
	return all
}

// start returns a runtime that the test closes, and its journal.
func start(t testing.TB, options ...freerun.Option) (*freerun.Runtime, *journal) {
	t.Helper()
	j := &journal{}
	rt := freerun.New(append([]freerun.Option{freerun.Logger(slog.New(j))}, options...)...)
	t.Cleanup(func() { rt.Close() })
	return rt, j
}

// within returns a context that turns a hang into a failure.
func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// must waits for a future that is to have a result.
func must[R any](t testing.TB, f freerun.Future[R]) R {
	t.Helper()
	v, err := f.Wait(within(t))
	if err != nil {
		t.Fatalf("future failed: %v", err)
	}
	return v
}

// gate holds operations until the test opens it: for tests that need one to be running.
type gate struct{ entered, opened chan struct{} }

func newGate() *gate { return &gate{make(chan struct{}), make(chan struct{})} }

// pass is called by the operation.
func (g *gate) pass() {
	close(g.entered)
	<-g.opened
}
