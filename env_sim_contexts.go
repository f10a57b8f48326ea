package freerun

import (
	"context"
	"slices"
	"time"
)

// An activity that waits with a context of the program's own is woken when that context is done.
// The standard library would wake it on a goroutine of its own, at a moment that no seed decides.
// So the driver of a deterministic runtime looks at these contexts itself, when nothing is left to
// run.

// watchedContext is a context that the driver watches. The driver calls f when ctx is done.
type watchedContext struct {
	ctx context.Context
	f   func()
}

func (m *simulation) afterDone(ctx context.Context, f func()) (stop func() bool) {
	w := &watchedContext{ctx, f}
	m.contexts = append(m.contexts, w)
	return func() bool { return m.forgetContext(w) }
}

func (m *simulation) forgetContext(w *watchedContext) bool {
	i := slices.Index(m.contexts, w)
	if i < 0 {
		return false
	}
	m.contexts = slices.Delete(m.contexts, i, i+1)
	return true
}

// endDone calls f of each watched context that is done, in the order in which the waits began. It
// reports whether there were any.
func (m *simulation) endDone() (some bool) {
	for _, w := range slices.Clone(m.contexts) {
		if w.ctx.Err() != nil && m.forgetContext(w) {
			w.f()
			some = true
		}
	}
	return some
}

// awaitDeadline waits, in real time, for the watched context with the soonest deadline, and ends
// the waits with it. It reports whether there was one: a wait with a deadline is not stalled.
func (m *simulation) awaitDeadline() bool {
	var first context.Context
	var soonest time.Time
	for _, w := range m.contexts {
		if at, ok := w.ctx.Deadline(); ok && (first == nil || at.Before(soonest)) {
			first, soonest = w.ctx, at
		}
	}
	if first == nil {
		return false
	}
	<-first.Done()
	return m.endDone()
}
