package freerun

import (
	"github.com/freerun-go/freerun/internal/activityhost"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Block runs fn, which may wait for anything: a file, a lock, a channel, a library that blocks.
// Block first hands the processor, with all that is queued on it, to another goroutine, so that
// blocking code costs no parallelism. The operation stays what it is: the next operation of its
// unit starts when it has ended.
//
// From then until its end, the operation has no processor. What it sends takes the path from
// outside, and costs what it costs an ordinary goroutine. In all else it is an operation: no send
// keeps it waiting, a runtime that drains ([Runtime.Shutdown]) takes what it sends, and a wait for
// futures, for the runtime, or of package activity, is refused with [ErrWouldBlock]. A panic in fn
// is the operation's.
//
// The operation's own goroutine may call Block, any number of times. On any other goroutine Block
// only calls fn. That includes a coroutine that the operation has made with iter.Pull: there fn
// keeps the processor, and all that is queued on it, although waits are refused as in the
// operation. Call Block in the operation instead, around next.
//
// In a deterministic runtime Block only calls fn. There fn must not wait for what another operation
// or the test's body does later: nothing else runs meanwhile.
//
// Block costs about what a hand-over through a channel does, and a goroutine if there is no spare
// one. It panics if fn is nil.
func (c *Context) Block(fn func()) {
	if fn == nil {
		panic("freerun: Block with a nil function")
	}
	w := c.checked().here()
	if w.processor == nil {
		fn()
		return
	}
	w.env.block(c, w, fn)
}

// blockAway calls fn in the operation that runs on w, which the operation leaves before.
func (w *worker) blockAway(fn func()) {
	running := w.active.Load()
	running.leave(w)
	if running.seen != 0 {
		defer running.traceBack()
	}
	fn()
}

// hostState is the runtime's part of a goroutine of the scheduler.
type hostState struct {
	// labelled is the vtable whose operation the goroutine's profile label names; its own.
	labelled *vtable
	// away is the context of the operation that runs on the goroutine without a processor. Shutdown
	// reads it, and the end of the operation if that panics.
	away atomics.RelaxedPointer[Context]
}

func newHostState(h *sched.Host) { h.Local = &hostState{} }

func hostStateOf(h *sched.Host) *hostState { return h.Local.(*hostState) }

// contextOf returns the context of the operation that runs on h's goroutine: with p, or without a
// processor if p is nil. Any goroutine may call it; the answer may be out of date. It is nil if the
// operation was just about to leave its processor, or has one again.
func contextOf(h *sched.Host, p *sched.Processor) *Context {
	if p != nil {
		return workerOf(p).active.Load()
	}
	return hostStateOf(h).away.Load()
}

// running returns the context that the calling operation runs with: c, or the context that c was
// made from. It returns nil if the caller is no operation.
func (c *Context) running() *Context {
	if w := c.here(); w.processor != nil {
		return w.active.Load()
	}
	if h := sched.CurrentHost(); h != nil && h.Processor() == nil {
		return hostStateOf(h).away.Load()
	}
	return nil
}

// leave takes the running operation off its worker, which gets a context of its own for what the
// processor runs next.
func (c *Context) leave(w *worker) { c.leaveWith(w, w.processor.Running()) }

// leaveWith is leave for an operation whose task is t.
func (c *Context) leaveWith(w *worker, t *sched.Task) {
	c.publishAll(w.processor)
	c.loseProcessor()
	if c.seen != 0 {
		w.traceLeave(c)
	}
	w.pressed = nil
	w.renew(c)
	c.worker.Store(w.rt.detachedWorker())
	hostStateOf(w.processor.LeaveWith(t)).away.Store(c)
}

// enterDiscarded is Enter for an activity that goes on without a processor, as the runtime has
// ended: its context leads to no processor's worker any more, which others use, and what it forks
// runs in sequence. A guest has no context of its own yet.
func (t *activityHost) enterDiscarded(on *activityhost.Stack) {
	if r := slotOf(on); r != nil {
		r.context.worker.Store(t.rt.detachedWorker())
		r.context.loseProcessor()
	}
}

// renew gives the worker another context in place of c, which goes away with its operation. If c is
// that of guests, it is of the one that goes away from now on.
func (w *worker) renew(c *Context) {
	if w.shared != nil && w.shared.context == c {
		w.shared = nil
	}
	w.active.Store(w.newContext(c.key))
}
