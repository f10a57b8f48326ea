//go:build !wasm

package embedded

import (
	"fmt"
	"log/slog"
	"sync"
)

// logger has what a server says go to the program's log, and keeps the last problem.
type logger struct {
	mu      sync.Mutex
	problem string
	fatal   bool // the server does not go on after it
}

// last returns the last problem, and a fatal one if there is one.
func (l *logger) last() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.problem
}

// isFatal reports whether the last problem is a fatal one.
func (l *logger) isFatal() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fatal
}

func (l *logger) fails(fatal bool, format string, v []any) {
	text := fmt.Sprintf(format, v...)
	slog.Warn("embedded: the server of NATS says: " + text)
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.fatal {
		l.problem, l.fatal = text, fatal
	}
}

// The methods of the server's interface for logs.
func (l *logger) Fatalf(format string, v ...any) { l.fails(true, format, v) }
func (l *logger) Errorf(format string, v ...any) { l.fails(false, format, v) }
func (l *logger) Warnf(format string, v ...any)  { slog.Debug("embedded: " + fmt.Sprintf(format, v...)) }
func (l *logger) Noticef(string, ...any)         {}
func (l *logger) Debugf(string, ...any)          {}
func (l *logger) Tracef(string, ...any)          {}
