package freerun

import (
	"context"
	"log/slog"

	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/sched"
)

// LogHandler returns a handler that tells next what runs where a record is logged: for a record
// that an operation or an activity logs with its context, or with one derived from that, it adds
//
//	operation  the name of the operation, of the function of a closure, or of the activity
//	unit       the name of the unit ([UnitName]), with the key of one of a kind; if it has one
//	key        the text of that key
//
// The contexts of an activity are what [ContextOf] returns, and the activity itself. Other records
// it hands on as they are, those that a goroutine logs with the context of an operation too. An
// operation on several units has the first of them. In an open group ([slog.Logger.WithGroup]) the
// attributes are of that group.
//
//	log := slog.New(freerun.LogHandler(slog.NewJSONHandler(os.Stderr, nil)))
//	…
//	log.InfoContext(c, "booked", "seats", n) // in an operation
//
// Any goroutine may call it, and the handler. It costs what it adds, and nothing for a record that
// next does not want. It panics if next is nil.
func LogHandler(next slog.Handler) slog.Handler {
	if next == nil {
		panic("freerun: LogHandler needs a handler")
	}
	return &logHandler{next}
}

type logHandler struct{ next slog.Handler }

func (h *logHandler) Enabled(ctx context.Context, l slog.Level) bool { return h.next.Enabled(ctx, l) }

func (h *logHandler) Handle(ctx context.Context, r slog.Record) error {
	if c := runningIn(ctx); c != nil {
		r = r.Clone() // other handlers may have it, too
		r.AddAttrs(c.logAttrs()...)
	}
	return h.next.Handle(ctx, r)
}

func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &logHandler{h.next.WithAttrs(attrs)}
}

func (h *logHandler) WithGroup(name string) slog.Handler {
	return &logHandler{h.next.WithGroup(name)}
}

// runningIn returns the context with which the calling operation or activity runs, if ctx leads to
// it; nil otherwise.
func runningIn(ctx context.Context) *Context {
	if ctx == nil {
		return nil
	}
	in, ok := ctx.Value(valueKey{}).(*Context)
	if !ok {
		return nil
	}
	c := in.running()
	if c == nil {
		c = ownIn(ctx)
	}
	if c == nil || c.rt != in.rt || c.current == nil && !c.isAwayActivity() {
		return nil
	}
	return c
}

// ownIn returns the context with which the calling activity runs, if ctx is that activity, or is
// derived from it; nil otherwise, and if the activity has no processor.
func ownIn(ctx context.Context) *Context {
	a := activity.Of(ctx)
	if a == nil || activities.StackOf(a) == nil {
		return nil
	}
	if p := sched.CurrentProcessor(); p != nil {
		return workerOf(p).active.Load()
	}
	return nil
}

// isAwayActivity reports whether c is the context of an activity that runs without a processor: it
// has left its message.
func (c *Context) isAwayActivity() bool {
	what, _ := c.inside.read()
	return what == anActivity
}

// logAttrs says what runs with c. The operation or activity itself calls it.
func (c *Context) logAttrs() []slog.Attr {
	all := make([]slog.Attr, 0, 3)
	if name := c.lastOperation(); name != "" {
		all = append(all, slog.String("operation", name))
	}
	m := c.current
	if m == nil {
		return all
	}
	k := m.vtable()
	if c.kind.Load() != k { // a small operation runs within it, or m stands for an activity
		return all
	}
	if u := k.unitAt(m, 0); u != nil {
		name, kind, key := u.titles()
		if name != "" {
			all = append(all, slog.String("unit", name))
		}
		if kind != "" {
			all = append(all, slog.String("key", key))
		}
	}
	return all
}
