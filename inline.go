package freerun

import (
	"runtime/debug"
	"unsafe"
)

// A free operation that is declared small (SmallOp) may be inlined: Send runs it as a call. That is
// done while it beats queueing: no processor is idle, or each that is finds another task queued
// here; its argument is ready; and the sending operation has not inlined too many already. Nothing
// is inlined in a scope. An inlined operation has no message, and its future holds the result
// itself.

const (
	// smallRuns is how many small operations a queued operation inlines. Further ones are queued,
	// so that other tasks get their turn, and thieves find work that is worth the way.
	smallRuns = 256
	// smallDepth is how deep inlined operations nest.
	smallDepth = 64
)

// SmallOp declares a free operation that takes about as long as sending it, or is a tree of such
// operations. All that is said of [FreeOp] holds. In addition, Send may run it at once, before it
// returns, on the goroutine of the sending operation: the future has its result then and allocates
// nothing. Send queues it instead while more processors are idle than tasks are queued here, from
// ordinary goroutines, in a scope, and beyond some number and depth. A runtime.Goexit in it may end
// the sending operation too.
func SmallOp[A, R any](name string, fn func(c *Context, arg A) (R, error)) *FreeOperation[A, R] {
	return newFreeOp(name, fn, true)
}

// tryNow inlines a small operation if that is better than queueing it, and reports whether it did.
func tryNow[A, R any](o *operation[A, R], c *Context, arg A) (f Future[R], done bool) {
	w := c.here()
	if w.processor == nil || c != w.active.Load() || c.key.scopeOf() != nil || c.credit <= 0 || c.inside.inlined() >= smallDepth || w.processor.WantsTasks() || w.rt.phase.Load() >= aborting || w.rt.around != nil {
		return f, false
	}
	if o.core.argPlan != nil && !allHaveValues(o.core.argPlan, unsafe.Pointer(&arg)) {
		return f, false
	}
	c.credit--
	w.counters.sent.Add(1)
	return runNow(o, c, w, arg), true
}

// runNow runs the operation as a call, and returns a future that has the outcome, or is open if the
// outcome waits for another future.
func runNow[A, R any](o *operation[A, R], c *Context, w *worker, arg A) (f Future[R]) {
	outer, forwarded := c.kind.Load(), c.forwarded
	c.kind.Store(o.core.sent)
	c.forwarded = nil
	c.inside.inline()
	floor := c.forks.beginInner() // an inlined operation may forward
	returned := false
	defer func() {
		c.inside.outline()
		c.forks.endInner(floor)
		if !returned {
			f = Failed[R](o.core.crashNow(c.worker.Load(), recover()))
		}
		c.kind.Store(outer)
		c.forwarded = forwarded
	}()
	w.processor.Spend()
	v, err := o.small(c, arg)
	returned = true
	w = c.worker.Load() // the operation may have left its processor
	if err == nil && c.forwarded == nil && o.core.resultPlan == nil {
		w.countRan(w.rt, 1)
		return Resolved(v)
	}
	return settleNow(o, c, w, v, err)
}

// settleNow returns a future for an outcome that is not a plain value.
func settleNow[A, R any](o *operation[A, R], c *Context, w *worker, v R, err error) Future[R] {
	if source, ok := c.forwarded.(*result[R]); ok && err == ErrForward {
		w.countRan(w.rt, 1)
		return Future[R]{cell: source} // the caller gets the forwarded future itself
	}
	m := &sendMessage[A, R]{}
	m.result.promised.start(&o.core, &w.rt.free)
	if err == nil && c.forwarded == nil {
		m.result.value = v
	}
	o.core.settle(w, &m.result.promised, err, c.forwarded)
	return Future[R]{cell: &m.result}
}

// crashNow returns the error of an operation that panicked with value; nil stands for
// runtime.Goexit.
func (o *core) crashNow(w *worker, value any) error {
	err := w.panicked(o.sent.name, "", nil, value, debug.Stack())
	w.countFailed(w.rt, err, 1)
	return err
}
