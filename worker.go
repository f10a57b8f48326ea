package freerun

import (
	"runtime/trace"

	"github.com/freerun-go/freerun/internal/magazine"
	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/promise"
	"github.com/freerun-go/freerun/internal/quiesce"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// worker is the place from which messages are sent and on which operations run. Each processor has
// one. Ordinary goroutines share one without a processor, Runtime.outside. Operations reach their
// worker through a [Context] only.
//
// The processor's goroutine owns all fields of its worker.
// Other goroutines touch the atomic and relaxed fields only.
// Of Runtime.outside, only the fields that never change are used.
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
	// woken holds the messages that are still to be woken while waking is true: see wake.
	woken  mailbox.Chain
	waking bool
	// orphans collects the tasks that become ready while tasks are discarded; nil otherwise.
	orphans  *mailbox.Chain
	unit     atomics.RelaxedPointer[unit] // the unit that ran last; set only with a watchdog
	messages magazine.Cache
	counters counters
	// pressed lists the full mailboxes that the running operation has sent to. They mute its unit
	// when the operation has ended.
	pressed   []*mailboxLimit
	retired   retired                 // messages to several units, before their reuse
	inSection atomics.Release[uint32] // 1 in a read section: multi_reuse.go
	start     promise.Start           // set while a revocable message starts
	_         pad.Line
}

// counters counts messages, and panics, of one processor. It has one writer at a time.
type counters struct {
	sent, ran, failed, abandoned, lost, panics atomics.RelaxedUint64
}

func newWorker(rt *Runtime, p *sched.Processor) *worker {
	s := &worker{rt: rt, processor: p, env: rt.env, watched: rt.watched}
	rt.attach(s)
	s.active.Store(s.leading(nil))
	return s
}

// leading returns the context with key r that is bound to this worker.
//
// A worker caches one context per key, because libraries may retain contexts. It makes another
// while the cached one is bound to another worker, or belongs to an operation that has not ended.
func (s *worker) leading(r *contextKey) *Context {
	slot := &s.root
	switch {
	case s.processor == nil && r == nil:
		return &s.rt.context
	case s.processor == nil:
		return &r.outside
	case r != nil:
		if s.processor.Index() >= len(r.contexts) {
			return s.newContext(r)
		}
		slot = &r.contexts[s.processor.Index()]
	}
	if now := s.active.Load(); now != nil && now.key == r {
		return now
	}
	c := slot.Load()
	if c == nil || c.worker.Load() != s || c.current != nil {
		c = s.newContext(r)
		slot.Store(c)
	}
	return c
}

func (s *worker) newContext(r *contextKey) *Context {
	var c *Context
	if r.scopeOf() != nil {
		c = new(Context)
	} else {
		c = &new(apart).Context
	}
	c.rt, c.key = s.rt, r
	c.worker.Store(s)
	return c
}

// detachedWorker returns a new worker without a processor. It is for an operation that has left its
// processor, and for goroutines that end a message off any processor and wake the waiters of its
// future.
func (rt *Runtime) detachedWorker() *worker {
	s := &worker{rt: rt, env: rt.env}
	s.observed.Store(rt.outside.observed.Load())
	return s
}

func workerOf(p *sched.Processor) *worker { return p.Local.(*worker) }

// accepts reports whether a message to u can be sent from here, by the checks that suffice until
// the runtime ends. If it returns false, [worker.refuses] decides. accepts is inlined into sends;
// refuses is too large for that.
func (s *worker) accepts(u *unit) bool { return u.rt == s.rt && s.rt.phase.Load() == running }

// refuses returns the error for a message to u that cannot be sent from here, nil if it can.
// Without a processor this check is not final: the phase is read again when the message is counted
// (ingress.go). The check here keeps late messages from being counted at all.
func (s *worker) refuses(u *unit) error {
	if u.rt != s.rt {
		return ErrOtherRuntime
	}
	phase := s.rt.phase.Load()
	if phase == running || phase == drains && s.standing() == insider {
		return nil
	}
	return ErrClosed
}

// yieldIfDue lets other goroutines run between two operations, if a yield is due.
func (s *worker) yieldIfDue() {
	if s.observed.Load()&byRecorder != 0 {
		s.pauseTape()
	}
	s.processor.YieldIfDue()
}

// begin is called before an operation runs. It returns the context to run it with, or nil if the
// message must not start; [message.refusal] has the reason then. m is the promise of l, nil if l
// has no future.
//
// begin decides between start and cancellation (message_start.go). It lets other goroutines run
// before that decision, not after it: they may cancel.
func (s *worker) begin(l *message, k *vtable, m *promised) *Context {
	if s.processor.Spent() {
		s.yieldIfDue()
	}
	if s.rt.phase.Load() >= aborting {
		return nil
	}
	c, o := s.active.Load(), l.lineage.Load()
	if o != nil || c.key != nil {
		if c = s.turn(o, m); c == nil {
			return nil
		}
	}
	c.current, c.credit, c.depth = l, smallRuns, 0
	if c.kind.Load() != k {
		c.kind.Store(k)
	}
	c.inside.Store(1)
	if s.observed.Load() != 0 || trace.IsEnabled() {
		s.observe(c, k, l)
	}
	if o != nil && o.revocable {
		s.start.End() // C3
	}
	return c
}

// turn makes the context with o's key the active one and returns it. It returns nil if the message
// was revoked, or its scope canceled. C1 to C3 are steps of internal/promise/start.go.
func (s *worker) turn(o *lineage, m *promised) *Context {
	if o != nil && o.revocable && !s.startRevocable(m) {
		return nil
	}
	r := o.keyOf()
	c := s.assume(r)
	c.lineage.Store(o)
	if x := r.scopeOf(); x != nil {
		// Begin comes before C2: a Wait that finds the scope canceled finds this message running.
		s.credit.Begin(&x.account)
		if x.canceled() { // C2
			if m != nil && o.revocable {
				// Before start is clear: a canceler that waited for it (D2) learns that m does
				// not run.
				m.Refuse()
			}
			s.credit.End(&x.account)
			s.start.End()
			return nil
		}
	}
	return c
}

// assume makes the context with key r the active one and returns it.
func (s *worker) assume(r *contextKey) *Context {
	c := s.active.Load()
	if c.key != r {
		c = s.leading(r)
		s.active.Store(c)
		s.credit.Turn(r.account())
	}
	return c
}

// rest is called by the scheduler when processor p has nothing to do.
func rest(p *sched.Processor) {
	s := workerOf(p)
	s.pauseTape()
	s.env.rests(s)
	if s.active.Load().key.scopeOf() != nil {
		s.assume(nil) // an idle processor must not keep a scope, and the values of its context
	}
	if s.retired.n > 0 {
		s.useAgain()
	}
}

// end is called after an operation has run. It returns the worker that its goroutine is on now, and
// what the operation has forwarded: a *result[R], or nil.
func (c *Context) end() (s *worker, forwarded any) {
	if c.marks != 0 {
		c.observeEnd()
	}
	c.current = nil
	c.inside.Store(0)
	c.forks.home.Store(0)
	if c.forwarded != nil {
		forwarded, c.forwarded = c.forwarded, nil
	}
	return c.worker.Load(), forwarded
}

// wake resumes all messages of a list that is linked newest first; it resumes the oldest first. A
// message that this resolves in turn wakes others: those are appended to woken and resumed by the
// outermost call, so a chain of any length needs no stack.
func (s *worker) wake(newest *mailbox.Node) {
	if s.waking {
		s.woken.PushNewestFirst(newest)
		return
	}
	s.waking = true
	if newest.Next() == nil { // the common case: one waiter
		l := messageOf(newest)
		l.vtable().wake(s, l)
	} else {
		s.woken.PushNewestFirst(newest)
	}
	for n := s.woken.PopFront(); n != nil; n = s.woken.PopFront() {
		l := messageOf(n)
		l.vtable().wake(s, l)
	}
	s.waking = false
}

// between reports whether the processor is between two operations: the last one has ended, and its
// waiters are being woken.
func (s *worker) between() bool { return s.waking && s.active.Load().current == nil }

// runsMessage reports whether the task that the processor runs is a message itself, not a unit.
func (s *worker) runsMessage() bool {
	t := s.processor.Running()
	return t != nil && unitRunBy(t) == nil
}

// countFailed counts a message of rt that has ended with err instead of being run to its end. rt
// need not be the runtime of s. n is 1, or minusOne to take the count back.
func (s *worker) countFailed(rt *Runtime, err error, n uint64) {
	_, started := err.(*PanicError)
	abandoned := !started && n == 1 && rt.phase.Load() >= aborting
	if s.at(rt) {
		s.counters.failed.Add(n)
		if abandoned {
			s.counters.abandoned.Add(n)
		}
		return
	}
	rt.ingress.failed.Add(n)
	if abandoned {
		rt.ingress.abandoned.Add(n)
	}
}

// countRan counts a message of rt that was run to its end, and whose outcome is known. n is 1, or
// minusOne to take the count back.
func (s *worker) countRan(rt *Runtime, n uint64) {
	if s.at(rt) {
		s.counters.ran.Add(n)
	} else {
		rt.ingress.ran.Add(n)
	}
}

// minusOne is what is added to an unsigned counter to subtract one.
const minusOne = ^uint64(0)
