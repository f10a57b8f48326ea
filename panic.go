package freerun

import (
	"context"
	"log/slog"
	"time"

	"github.com/freerun-go/freerun/internal/sched"
)

// crashed is called on a processor's goroutine after a task panicked with value; nil stands for
// runtime.Goexit. The future of the operation fails, and the unit goes on with the next message.
func crashed(h *sched.Host, t *sched.Task, value any, stack []byte) {
	p := h.Processor()
	c := contextOf(h, p)
	s, l := c.worker.Load(), c.current
	c.forwarded = nil
	c.end()
	if t.Kind == jobVtable && value == nil {
		return // runtime.Goexit in a stolen branch: steal has told the joiner
	}
	if l == nil {
		panic(value) // no operation's panic: a defect of the runtime must not go unseen
	}
	err := s.panicked(l.vtable().describe(l), l.lineage.Load(), value, stack)
	s.pressed = nil
	u := unitRunBy(t)
	if u != nil {
		u.faulted(err)
	} else if units := l.vtable().units; units != nil {
		units(l).faulted(err)
	}
	from := l.lineage.Load()
	l.vtable().fail(s, l, err)
	from.ended(s)
	if u != nil {
		u.goOn(s)
	}
}

// panicked counts and reports an operation that panicked with value; nil stands for runtime.Goexit.
func (s *worker) panicked(operation string, from *lineage, value any, stack []byte) *PanicError {
	if value == nil {
		value = ErrGoexit
	}
	// After a join, the branch's own panic and stack count.
	if e, ok := value.(*PanicError); ok && e.branch {
		value, stack = e.Value, e.Stack
	}
	if s.processor != nil {
		s.counters.panics.Add(1)
	} else {
		s.rt.ingress.panics.Add(1)
	}
	s.rt.log(slog.LevelError, "operation panicked", from.report([]any{"operation", operation, "panic", value, "stack", string(stack)})...)
	return &PanicError{Operation: operation, Value: value, Stack: stack}
}

// lose counts and reports the failure of a message that has no future.
func (s *worker) lose(k *vtable, l *message, err error) {
	if x := l.lineage.Load().keyOf().scopeOf(); x != nil && x.hasReported(err) {
		return
	}
	rt := l.unit.rt
	if s.at(rt) {
		s.counters.lost.Add(1)
	} else {
		rt.ingress.lost.Add(1)
	}
	if _, told := err.(*PanicError); told {
		return
	}
	// At most one report a second: a flood of failures must not become a flood of text.
	now := time.Now().UnixNano()
	last := rt.lostAt.Load()
	if now-last < int64(time.Second) || !rt.lostAt.CompareAndSwap(last, now) {
		return
	}
	about := []any{"operation", k.describe(l), "error", err, "lost", rt.Stats().Lost}
	rt.log(slog.LevelWarn, "operation without a future failed", l.lineage.Load().report(about)...)
}

// log reports to the logger. The logger is the user's, so a panic in it must not end the process.
func (rt *Runtime) log(level slog.Level, text string, args ...any) {
	defer func() { _ = recover() }()
	logger := rt.logger
	if logger == nil {
		logger = slog.Default()
	}
	logger.Log(context.Background(), level, "freerun: "+text, args...)
}
