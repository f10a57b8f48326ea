package runtimetest

import (
	"context"
	"log/slog"
	"sync"
)

// Journal is a [slog.Handler] that keeps all log entries. Any goroutine may use it.
type Journal struct {
	mu      sync.Mutex
	entries []slog.Record
}

// Enabled implements [slog.Handler].
func (j *Journal) Enabled(context.Context, slog.Level) bool { return true }

// WithAttrs implements [slog.Handler].
func (j *Journal) WithAttrs([]slog.Attr) slog.Handler { return j }

// WithGroup implements [slog.Handler].
func (j *Journal) WithGroup(string) slog.Handler { return j }

// Handle implements [slog.Handler].
func (j *Journal) Handle(_ context.Context, r slog.Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = append(j.entries, r)
	return nil
}

// Texts returns level, message and attributes of the entries so far, one string an entry.
func (j *Journal) Texts() (all []string) {
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
