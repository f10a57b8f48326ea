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

// whenDone is [context.AfterFunc], except that the driver calls f.
func (rt *Runtime) whenDone(ctx context.Context, f func()) (stop func() bool) {
	w := &watchedContext{ctx, f}
	rt.contexts = append(rt.contexts, w)
	return func() bool { return rt.forgetContext(w) }
}

func (rt *Runtime) forgetContext(w *watchedContext) bool {
	i := slices.Index(rt.contexts, w)
	if i < 0 {
		return false
	}
	rt.contexts = slices.Delete(rt.contexts, i, i+1)
	return true
}

// endDone calls f of each watched context that is done, in the order in which the waits began. It
// reports whether there were any.
func (rt *Runtime) endDone() (some bool) {
	for _, w := range slices.Clone(rt.contexts) {
		if w.ctx.Err() != nil && rt.forgetContext(w) {
			w.f()
			some = true
		}
	}
	return some
}

// awaitDeadline waits, in real time, for the watched context with the soonest deadline, and ends
// the waits with it. It reports whether there was one: a wait with a deadline is not stalled.
func (rt *Runtime) awaitDeadline() bool {
	var first context.Context
	var soonest time.Time
	for _, w := range rt.contexts {
		if at, ok := w.ctx.Deadline(); ok && (first == nil || at.Before(soonest)) {
			first, soonest = w.ctx, at
		}
	}
	if first == nil {
		return false
	}
	<-first.Done()
	return rt.endDone()
}
