package freerun

import (
	"runtime/trace"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/quiesce"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// seat is the place from which messages are sent and operations run: each processor has one, and ordinary goroutines share one that
// has no processor. An operation does not see it, only a [Context] that leads to it.
//
// All of a processor's seat is its own: no other goroutine touches it, but for what is atomic or relaxed. Of the one
// without a processor only what does not change is used.
type worker struct {
	rt        *Runtime
	processor *sched.Processor      // nil outside
	driven    bool                  // the processor is one of a deterministic runtime
	observed  atomics.RelaxedUint64 // who wants to know what operations do: see observe.go
	watched   bool                  // there is a watchdog
	_         pad.Line              // seats of two processors may lie side by side
	active    atomics.RelaxedPointer[Context]
	root      atomics.RelaxedPointer[Context] // the one without scope and priority
	credit    quiesce.Credit                  // of the scope of the active one
	woken     mailbox.Chain
	waking    bool
	orphans   *mailbox.Chain               // see shutdown_discard.go
	unit      atomics.RelaxedPointer[unit] // that was run last, if there is a watchdog
	messages  messageCache
	counters  counters
	pressed   []*mailboxLimit // the full mailboxes that the running operation has sent to: its unit is to be held back
	retired   retired
	inSection atomics.Release[uint32] // see multi_reuse.go
	inStart   atomics.Release[uint32] // a message of a scope is being started: see message_start.go
	_         pad.Line
}

// counters of one processor, or of one stripe of the border. One writer at a time.
type counters struct {
	sent, ran, failed, abandoned, lost, panics atomics.RelaxedUint64
}

func newWorker(rt *Runtime, p *sched.Processor) *worker {
	s := &worker{rt: rt, processor: p, driven: rt.deterministic(), watched: rt.watched}
	rt.attach(s)
	s.active.Store(s.leading(nil))
	return s
}

// leading returns the context of realm r that leads to this seat. They are kept, so that a library may keep them: the seat has one for
// each realm, and makes another if that one leads elsewhere now, or belongs to an operation that has not ended.
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

// stranger returns a seat for somebody who is no processor and must wake those who wait for a future.
func (rt *Runtime) detachedWorker() *worker {
	s := &worker{rt: rt}
	s.observed.Store(rt.outside.observed.Load())
	return s
}

func workerOf(p *sched.Processor) *worker { return p.Local.(*worker) }

// accepts reports whether a message to u can be sent from here, in the case that each send meets
// until the runtime ends. If not, [worker.refuses] tells. accepts is inlined into sends, refuses is
// too large for that.
func (s *worker) accepts(u *unit) bool { return u.rt == s.rt && s.rt.phase.Load() == running }

// refuses returns why a message to u cannot be sent from here, if so. For one without a processor
// that is looked at once more when it is counted (ingress.go); here it keeps those who come late from
// being counted at all.
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

// begin is called before an operation is run, and returns the context to run it with; nil if it must not be started, for the reason that
// [letter.refusal] tells. This is where it is decided which of the two a message is, started or canceled: message_start.go. m is the letter's message, nil if
// it has no future. Other goroutines run before that is decided, not after: they may cancel.
func (s *worker) begin(l *message, k *vtable, m *promise) *Context {
	if s.processor.Spent() {
		s.breathe()
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
		s.inStart.Store(0) // C3
	}
	return c
}

// turn makes the context of o's realm the active one, and returns it; nil if the message was revoked, or the scope canceled.
func (s *worker) turn(o *lineage, m *promise) *Context {
	if o != nil && o.revocable && !s.startRevocable(m) {
		return nil
	}
	r := o.keyOf()
	c := s.assume(r)
	c.lineage.Store(o)
	if x := r.scopeOf(); x != nil {
		s.credit.Begin(&x.account) // before C2: a Wait that finds the scope canceled finds this one running
		if x.canceled() {          // C2
			if m != nil && o.revocable {
				m.edge.Store(failing) // before inStart is clear: those who look now learn that it does not run
			}
			s.credit.End(&x.account)
			s.inStart.Store(0)
			return nil
		}
	}
	return c
}

// assume makes the context of realm r the active one, and returns it.
func (s *worker) assume(r *contextKey) *Context {
	c := s.active.Load()
	if c.key != r {
		c = s.leading(r)
		s.active.Store(c)
		s.credit.Turn(r.account())
	}
	return c
}

// rest is called when the processor has nothing to do.
func rest(p *sched.Processor) {
	s := workerOf(p)
	s.pauseTape()
	if s.driven && s.rt.timed != nil {
		s.rt.timed.Rests(p.Index())
	}
	if s.active.Load().key.scopeOf() != nil {
		s.assume(nil) // an idle processor keeps no scope, and what its context has
	}
	if s.retired.n > 0 {
		s.useAgain()
	}
}

// end is called after an operation was run. It returns the seat where its goroutine is now, and what the operation forwarded.
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

// wake goes on with all letters of a list, newest first, in the order in which they came into it. What that
// resolves in turn is appended and done by the outermost call, so a chain of any length needs no stack.
func (s *worker) wake(newest *mailbox.Node) {
	if s.waking {
		s.woken.PushNewestFirst(newest)
		return
	}
	s.waking = true
	if newest.Next() == nil { // most often: one waits
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

// between reports whether the processor is between two operations: the last one has ended, and what waited for it is being woken.
func (s *worker) between() bool { return s.waking && s.active.Load().current == nil }

// runsLetter reports whether what the processor runs is a letter, not a unit.
func (s *worker) runsMessage() bool {
	t := s.processor.Running()
	return t != nil && unitRunBy(t) == nil
}

// countFailed counts a message of rt, which need not be this seat's, that ended with err instead of being run to its end. n is 1, or
// minusOne to take that back.
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

// countRan counts a message of rt that was run to its end, and whose outcome is known. n is as for countFailed.
func (s *worker) countRan(rt *Runtime, n uint64) {
	if s.at(rt) {
		s.counters.ran.Add(n)
	} else {
		rt.ingress.ran.Add(n)
	}
}

const minusOne = ^uint64(0)
