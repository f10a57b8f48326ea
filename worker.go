package freerun

import (
	"log/slog"
	"runtime/trace"

	"github.com/freerun-go/freerun/internal/magazine"
	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/promise"
	"github.com/freerun-go/freerun/internal/quiesce"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/internal/sys/threadlock"
)

// worker is the place from which messages are sent and on which operations run. Each processor has
// one. Ordinary goroutines share one without a processor, Runtime.outside. Operations reach their
// worker through a [Context] only.
//
// The processor's goroutine owns all fields of its worker.
// Other goroutines touch the atomic and relaxed fields only.
// Of Runtime.outside, only observed and the fields that never change are used.
type worker struct {
	rt        *Runtime
	processor *sched.Processor      // nil for the worker of ordinary goroutines, and detached ones
	env       env                   // the runtime's
	observed  atomics.RelaxedUint64 // the observers of operations, as bits: observe.go
	watched   bool                  // the runtime has a watchdog
	_         pad.Line              // workers of two processors may be adjacent in memory
	// active is the context of the running operation, or of the last one.
	active atomics.RelaxedPointer[Context]
	root   atomics.RelaxedPointer[Context] // the cached context without scope and priority
	credit quiesce.Credit                  // credit of the active context's scope
	shared *activitySlot                   // for activities whose stack has none; made at first use
	// woken holds the messages that are still to be woken while waking is true: see wake.
	woken  mailbox.Chain
	waking bool
	// orphans collects the tasks that become ready while tasks are discarded; nil otherwise.
	orphans  *mailbox.Chain
	unit     atomics.RelaxedPointer[unit] // the unit that ran last; set only with a watchdog
	messages magazine.Cache
	counters counters
	// pressed lists the units to whose full mailboxes the running operation has sent. They mute its
	// unit when the operation has ended.
	pressed   []*unit
	retired   retired                 // messages to several units, before their reuse
	inSection atomics.Release[uint32] // 1 in a read section: multi_reuse.go
	start     promise.Start           // set while a revocable message starts
	_         pad.Line
}

// counters counts messages, and panics, of one processor. It has one writer at a time.
type counters struct {
	sent, ran, failed, abandoned, ended, lost, panics atomics.RelaxedUint64
}

func newWorker(rt *Runtime, p *sched.Processor) *worker {
	w := &worker{rt: rt, processor: p, env: rt.env, watched: rt.watched}
	rt.attach(w)
	w.active.Store(w.contextFor(nil))
	return w
}

// contextFor returns the context with key k that is bound to this worker.
//
// A worker caches one context per key, because libraries may retain contexts. It makes another
// while the cached one is bound to another worker, or belongs to an operation that has not ended.
// It returns the active one only to its owner: that of guests is of many activities.
func (w *worker) contextFor(k *contextKey) *Context {
	slot := &w.root
	switch {
	case w.processor == nil && k == nil:
		return &w.rt.context
	case w.processor == nil:
		return k.outsider()
	case k != nil:
		if w.processor.Index() >= len(k.contexts) {
			return w.newContext(k)
		}
		slot = &k.contexts[w.processor.Index()]
	}
	if now := w.active.Load(); now != nil && now.key == k && (w.shared == nil || now != w.shared.context) {
		return now
	}
	c := slot.Load()
	if c == nil || c.worker.Load() != w || c.current != nil {
		c = w.newContext(k)
		slot.Store(c)
	}
	return c
}

func (w *worker) newContext(k *contextKey) *Context {
	var c *Context
	if k.isShort() {
		c = new(Context)
	} else {
		c = &new(apart).Context
	}
	c.become(w, k)
	return c
}

// become makes c, which nobody has yet, the context of w with key k.
func (c *Context) become(w *worker, k *contextKey) {
	c.rt, c.key = w.rt, k
	c.worker.Store(w)
}

// detachedWorker returns a new worker without a processor. It is for an operation that has left its
// processor, and for goroutines that end a message off any processor and wake the waiters of its
// future.
func (rt *Runtime) detachedWorker() *worker {
	w := &worker{rt: rt, env: rt.env}
	w.observed.Store(rt.outside.observed.Load())
	return w
}

// borrowWorker returns a worker as detachedWorker does, for a few steps of the caller alone. Then
// the caller calls giveBack. Outcomes that come from elsewhere one after another, as those of a
// store do, would each cost a new one.
func (rt *Runtime) borrowWorker() *worker {
	w, ok := rt.borrowed.get().(*worker)
	if !ok {
		return rt.detachedWorker()
	}
	w.observed.Store(rt.outside.observed.Load())
	return w
}

// giveBack ends the use of a worker of borrowWorker. One that has put messages aside is left to the
// collector, because they keep their units alive.
func (w *worker) giveBack() {
	if w.retired.n == 0 {
		w.rt.borrowed.put(w)
	}
}

func workerOf(p *sched.Processor) *worker { return p.Local.(*worker) }

// accepts reports whether a message to u can be sent from here, by the checks that suffice until
// the runtime ends. If it returns false, [worker.refuses] decides. accepts is inlined into sends;
// refuses is too large for that.
func (w *worker) accepts(u *unit) bool { return u.rt == w.rt && w.rt.phase.Load() == running }

// refuses returns the error for a message to u that cannot be sent from here, nil if it can.
// Without a processor this check is not final: the phase is read again when the message is counted
// (admit.go). The check here keeps late messages from being counted at all.
func (w *worker) refuses(u *unit) error {
	if u.rt != w.rt {
		return ErrOtherRuntime
	}
	phase := w.rt.phase.Load()
	if phase == running || phase == drains && w.standing() == insider {
		return nil
	}
	return ErrClosed
}

// yieldIfDue lets other goroutines run between two operations, if a yield is due.
func (w *worker) yieldIfDue() {
	if w.observed.Load()&byRecorder != 0 {
		w.pauseTape()
	}
	w.processor.YieldIfDue()
}

// begin is called before an operation runs. It returns the context to run it with, or nil if the
// message must not start; [message.refusal] has the reason then. m is the promise of msg, nil if
// msg has no future.
//
// begin decides between start and cancellation (message_start.go). It lets other goroutines run
// before that decision, not after it: they may cancel.
func (w *worker) begin(msg *message, k *vtable, m *promised) *Context {
	if w.processor.Spent() {
		w.yieldIfDue()
	}
	if w.rt.phase.Load() >= aborting {
		return nil
	}
	c, o := w.active.Load(), msg.lineage.Load()
	if o != nil || c.key != nil {
		if c = w.turn(o, m); c == nil {
			return nil
		}
	}
	c.current, c.credit = msg, smallRuns
	if c.kind.Load() != k {
		c.kind.Store(k)
	}
	c.inside.begin(anOperation)
	if w.observed.Load() != 0 || trace.IsEnabled() {
		w.observe(c, k, msg, msg)
	}
	if o != nil && o.revocable {
		w.start.End() // C3 of internal/promise/start.go
	}
	return c
}

// turn makes the context with o's key the active one and returns it. It returns nil if the message
// was revoked, or its scope canceled. C1 to C3 are steps of internal/promise/start.go.
func (w *worker) turn(o *lineage, m *promised) *Context {
	if o != nil && o.revocable && !w.startRevocable(m) {
		return nil
	}
	k := o.keyOf()
	c := w.assume(k)
	c.lineage.Store(o)
	if x := k.scopeOf(); x != nil {
		// Begin comes before C2: a Wait that finds the scope canceled finds this message running.
		w.credit.Begin(&x.account)
		if x.canceled() { // C2
			if m != nil && o.revocable {
				// Before start is clear: a canceler that waited for it (D2) learns that m does
				// not run.
				m.Refuse()
			}
			w.credit.End(&x.account)
			w.start.End()
			return nil
		}
	}
	return c
}

// assume makes the context with key k the active one and returns it.
func (w *worker) assume(k *contextKey) *Context {
	c := w.active.Load()
	if c.key != k {
		c = w.contextFor(k)
		w.active.Store(c)
		w.credit.Turn(k.account())
	}
	return c
}

// onRest is called by the scheduler when processor p has nothing to do.
func onRest(p *sched.Processor) {
	w := workerOf(p)
	w.pauseTape()
	w.env.rests(w)
	if w.active.Load().key.isShort() {
		w.assume(nil) // an idle processor must not keep a scope, nor values
	}
	if w.retired.n > 0 {
		w.useAgain()
	}
}

// end is called after an operation has run. It returns the worker that its goroutine is on now, and
// what the operation has forwarded: a *result[R], or nil.
func (c *Context) end() (w *worker, forwarded any) {
	if c.marks != 0 {
		c.observeEnd()
	}
	c.current = nil
	c.inside.end()
	c.forks.home.Store(0)
	if c.forwarded != nil {
		forwarded, c.forwarded = c.forwarded, nil
	}
	return c.worker.Load(), forwarded
}

// wake resumes all messages of a list that is linked newest first; it resumes the oldest first. A
// message that ends meanwhile wakes the messages that wait for it: they are appended to woken, and
// the outermost call resumes them. So a chain of any length needs no stack.
func (w *worker) wake(newest *mailbox.Node) {
	if w.waking {
		w.woken.PushNewestFirst(newest)
		return
	}
	w.waking = true
	if newest.Next() == nil { // the common case: one waiter
		m := messageOf(newest)
		m.vtable().wake(w, m)
	} else {
		w.woken.PushNewestFirst(newest)
	}
	for n := w.woken.PopFront(); n != nil; n = w.woken.PopFront() {
		m := messageOf(n)
		m.vtable().wake(w, m)
	}
	w.waking = false
}

// between reports whether the processor is between two operations: the last one has ended, and its
// waiters are being woken.
func (w *worker) between() bool { return w.waking && w.active.Load().current == nil }

// runsMessage reports whether the task that the processor runs is a message itself, not a unit.
func (w *worker) runsMessage() bool {
	t := w.processor.Running()
	return t != nil && unitRunBy(t) == nil
}

// countFailed counts a message of rt that has ended with err instead of being run to its end. rt
// need not be the runtime of w. n is 1, or minusOne to take the count back.
func (w *worker) countFailed(rt *Runtime, err error, n uint64) {
	_, started := err.(*PanicError)
	abandoned := !started && n == 1 && rt.phase.Load() >= aborting
	// Abandoned comes first: who finds that nothing is left ([Runtime.Quiesce]) asks for it then.
	if w.at(rt) {
		if abandoned {
			w.counters.abandoned.Add(n)
		}
		w.counters.failed.Add(n)
		return
	}
	if abandoned {
		rt.ingress.abandoned.Add(n)
	}
	rt.ingress.failed.Add(n)
}

// countActivityFailed is countFailed for an activity. One that had begun was ended where it waited
// if err is ErrClosed.
func (w *worker) countActivityFailed(rt *Runtime, err error, begun bool) {
	if !begun || err != ErrClosed {
		w.countFailed(rt, err, 1)
		return
	}
	if w.at(rt) { // in the same order as there
		w.counters.ended.Add(1)
		w.counters.failed.Add(1)
		return
	}
	rt.ingress.ended.Add(1)
	rt.ingress.failed.Add(1)
}

// countRan counts a message of rt that was run to its end, and whose outcome is known. n is 1, or
// minusOne to take the count back.
func (w *worker) countRan(rt *Runtime, n uint64) {
	if w.at(rt) {
		w.counters.ran.Add(n)
	} else {
		rt.ingress.ran.Add(n)
	}
}

// minusOne, added to an unsigned counter, subtracts one.
const minusOne = ^uint64(0)

// An operation, branch or activity that calls runtime.LockOSThread and ends without UnlockOSThread
// leaves its goroutine locked to the thread. internal/sched/locked.go leaves or unlocks such
// goroutines; leftLocked and branchLeftLocked report the operation.

// leftLocked is called when an operation, a branch or an activity has ended and left its goroutine
// locked. It is called on that goroutine: h's, or that of an activity that runs in h's place.
func leftLocked(h *sched.Host) {
	c := contextOf(h, h.Processor())
	if c == nil {
		return
	}
	c.rt.reportLocked(c.lastOperation())
}

func (rt *Runtime) reportLocked(operation string) {
	rt.log(slog.LevelError, "operation left its goroutine locked to a thread", "operation", operation, "cure", "call runtime.UnlockOSThread as often as LockOSThread")
}

// branchLeftLocked is called when an operation has run a branch while it waited in a join, and the
// branch has left the goroutine locked. The operation goes on there. A host is left when the
// operation has ended. A coroutine, and the goroutine of a deterministic runtime, is unlocked at
// once.
func (c *Context) branchLeftLocked() {
	w := c.worker.Load()
	w.rt.reportLocked(c.lastOperation()) // the operation that has forked the branch
	if sched.CurrentCoroutine() != nil {
		threadlock.Release()
	} else if h := sched.CurrentHost(); h != nil {
		h.NoteReported()
	}
}
