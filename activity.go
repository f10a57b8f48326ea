package freerun

import (
	"context"
	"runtime/trace"

	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/activityhost"
	"github.com/freerun-go/freerun/internal/sched"
)

// Package activity lies below this one, and knows nothing of scopes, futures and shutdowns. This
// file adds them. To the runtime, an activity is a message that is run in pieces: it is counted as
// one, in its scope too; it is reported as one when it panics or does not return; and it is
// canceled with its scope.

// ContextOf returns the context that an activity sends through: on the fast path, under the scope
// and with the priority that the activity was started with. As a [context.Context] it may be kept;
// see [Context]. Only the activity's own goroutine may call ContextOf. It panics elsewhere, and for
// an activity of no runtime.
func ContextOf(a *activity.Activity) *Context {
	on := activities.StackOf(a)
	if on == nil {
		if a == nil {
			panic("freerun: ContextOf of a nil Activity; an activity is passed its own")
		}
		panic("freerun: ContextOf by another goroutine than the activity's own")
	}
	return ownSlot(a, on).context
}

// activityPlace makes Runtime, Scope and Context places where activities can be started.
//
//lint:ignore U1000 it is embedded for its method
type activityPlace = activityhost.Mark

// activities is the part of package activity that this package calls.
var activities = activityhost.For[activity.Activity]()

func init() { activities.StartWith(startActivityIn) }

// startActivityIn starts a, which is new, in the place that was given to [activity.Go]. In an
// operation, or in an activity of another scope, [Context.WithScope] is a faster way into a scope.
func startActivityIn(where activityhost.Place, a *activity.Activity) error {
	switch where := where.(type) {
	case *Runtime:
		where.mustBeMade()
		return where.context.startActivity(a)
	case *Scope:
		return where.Context().startActivity(a)
	}
	return where.(*Context).startActivity(a)
}

// startActivity starts a, which is new, with the scope and the priority of c.
func (c *Context) startActivity(a *activity.Activity) error {
	w := c.checked().here()
	if err := w.admits(c, &c.rt.free, nil); err != nil {
		if x := c.Scope(); x != nil {
			x.fail(titleOf(a), &c.key.root, err)
		}
		return err
	}
	if w.observed.Load() != 0 {
		w.starting(a)
	}
	if c.key != nil {
		if c.key.scope != nil {
			w.credit.Begin(c.key.account())
		}
		if w.keeping() != nil {
			w.keepActivity(c.activityHost(), c.priority(), a)
			return nil
		}
	}
	activities.Begin(a, c.activityHost(), c.priority(), c.rt.scheduler, w.processor)
	return nil
}

// activityHost does for package activity what concerns the runtime: it counts the activities of one
// scope and priority, and gives them their context.
type activityHost struct {
	rt  *Runtime
	key *contextKey // nil: the runtime's own scope and priority
}

var _ activityhost.Owner[activity.Activity] = (*activityHost)(nil)

func (c *Context) activityHost() *activityHost {
	if c.key == nil {
		return &c.rt.activityHost
	}
	return &c.key.host
}

// activitySlot is the runtime's part of a stack that runs activities, one after another: the
// context that they send through. A stack has one once an activity on it has asked for its context.
// Before, the activities of no scope are guests: they share the slot of the worker on which they
// run. It is in the cache, and an activity that never sends needs no memory for it. The context of
// that slot is never handed out ([worker.contextFor]): no guest keeps it, or forks with it.
//
// What a stack has is in [activityhost.Stack.Local]: its slot, or the activityHost of a guest.
type activitySlot struct {
	context  *Context
	message  message   // stands for the activity
	beneath  *Context  // the worker's active context before
	awaits   *awaiter  // reused for the next wait
	awaiting *promised // what the activity waits for in Await, for reports
}

// slotOf returns the activity slot of a stack, nil if it has none of its own.
func slotOf(on *activityhost.Stack) *activitySlot {
	r, _ := on.Local.(*activitySlot)
	return r
}

// ownSlot returns the activity slot of the stack on which a, the running activity, runs. A guest
// gets one of its own. It panics if a belongs to no runtime.
func ownSlot(a *activity.Activity, on *activityhost.Stack) *activitySlot {
	switch at := on.Local.(type) {
	case *activitySlot:
		return at
	case *activityHost:
		if p := sched.CurrentProcessor(); p != nil {
			at.settle(a, on, p)
		} else {
			at.settleAway(on)
		}
		return slotOf(on)
	}
	panic("freerun: an activity of no runtime")
}

// settle gives the stack of the running activity, a guest on p, a slot of its own.
func (t *activityHost) settle(a *activity.Activity, on *activityhost.Stack, p *sched.Processor) {
	t.moveOut(on, p).inside.end()
	on.Local = t.newSlot()
	t.Enter(a, on, p)
}

// settleAway gives the stack of a guest that runs without a processor a slot of its own. The
// context with which it has left its processor, in [Context.Block], is its own since then. A guest
// that is discarded has none.
func (t *activityHost) settleAway(on *activityhost.Stack) {
	r := t.newSlot()
	if h := sched.CurrentHost(); h != nil && h.Processor() == nil {
		r.context = hostStateOf(h).away.Load()
	}
	if c := r.context; c == nil || c.rt != t.rt || c.key != t.key {
		r.context = t.rt.detachedWorker().newContext(t.key)
		r.context.kind.Store(slotVtable)
	}
	on.Local = r
}

func (t *activityHost) newSlot() *activitySlot {
	r := &activitySlot{}
	r.message.become(slotVtable)
	r.message.unit = &t.rt.free
	return r
}

// slotFor returns the activity slot for an activity that comes to run on w, with a context of t's
// scope and priority: that of its stack or, for a guest, that of the worker.
func (t *activityHost) slotFor(on *activityhost.Stack, w *worker) *activitySlot {
	r := slotOf(on)
	if r == nil {
		if t.key == nil && w.observed.Load() == 0 && !trace.IsEnabled() {
			if !t.isGuest(on) {
				on.Local = t
			}
			if r = w.shared; r != nil {
				return r
			}
			r = t.newSlot()
			w.shared = r
		} else {
			r = t.newSlot()
			on.Local = r
		}
	}
	if r.context == nil || r.context.rt != t.rt || r.context.key != t.key {
		r.context = w.newContext(t.key)
		r.context.kind.Store(slotVtable)
		r.message.unit = &t.rt.free
		r.awaits = nil
	}
	return r
}

// Context implements [activityhost.Owner].
func (t *activityHost) Context() context.Context {
	if t.key == nil {
		return &t.rt.context
	}
	return t.key.outsider()
}

// Start implements [activityhost.Owner].
func (t *activityHost) Start(a, b *activity.Activity) error {
	if on := activities.StackOf(a); on != nil {
		if r := slotOf(on); r != nil {
			return r.context.startActivity(b)
		}
		if p := sched.CurrentProcessor(); p != nil {
			return workerOf(p).active.Load().startActivity(b)
		}
	}
	if t.key == nil {
		return t.rt.context.startActivity(b)
	}
	return t.key.outsider().startActivity(b)
}

// Prepare implements [activityhost.Owner].
func (t *activityHost) Prepare(on *activityhost.Stack, p *sched.Processor) {
	t.slotFor(on, workerOf(p))
}

// Enter implements [activityhost.Owner]: the activity's context becomes the worker's active one.
func (t *activityHost) Enter(a *activity.Activity, on *activityhost.Stack, p *sched.Processor) {
	if p == nil {
		t.enterDiscarded(on)
		return
	}
	w := workerOf(p)
	r := t.slotFor(on, w)
	c := r.context
	c.worker.Store(w)
	c.forks.offer = p.Offer()
	if c.forks.forkParts != nil {
		c.forks.parker = nil
	}
	c.current = &r.message
	c.runs(on)
	c.inside.begin(anActivity)
	r.beneath = w.active.Load()
	w.active.Store(c)
	w.credit.Turn(t.key.account())
	if w.observed.Load() != 0 || trace.IsEnabled() {
		w.observeActivity(c, a, r)
	}
}

// Pass implements [activityhost.Owner]: two guests of one worker have the same context, with which
// neither can have sent, forked or waited for a future.
func (t *activityHost) Pass(from, to *activityhost.Stack, p *sched.Processor) bool {
	w := workerOf(p)
	if !t.isGuest(from) || !t.isGuest(to) || w.observed.Load() != 0 || trace.IsEnabled() {
		return false
	}
	c := w.shared.context
	if c.seen != 0 || c.region != nil { // observed since a moment that Enter did not see
		return false
	}
	c.runs(to)
	return true
}

// isGuest reports whether the activity on a stack is a guest of t.
func (t *activityHost) isGuest(on *activityhost.Stack) bool {
	at, _ := on.Local.(*activityHost)
	return at == t
}

// Leave implements [activityhost.Owner]: the worker's former active context is active again.
func (t *activityHost) Leave(_ *activity.Activity, on *activityhost.Stack, p *sched.Processor) {
	c := t.moveOut(on, p)
	c.inside.end()
}

// Depart implements [activityhost.Owner].
func (t *activityHost) Depart(a *activity.Activity, on *activityhost.Stack, p *sched.Processor) {
	if slotOf(on) == nil { // other activities use the worker's meanwhile
		t.settle(a, on, p)
	}
	hostStateOf(p.Host()).away.Store(t.moveOut(on, p))
}

// moveOut takes the activity's context off its worker, whose former context is active again.
func (t *activityHost) moveOut(on *activityhost.Stack, p *sched.Processor) *Context {
	w, r := workerOf(p), slotOf(on)
	if r == nil {
		r = w.shared
	}
	c := r.context
	c.publishAll(p)
	c.forks.home.Store(0)
	c.forks.offer = sched.NoOffer()
	switch {
	case c.seen != 0:
		w.traceOut(c)
		c.observeEnd()
	case c.region != nil:
		c.endRegion()
	}
	c.current = nil
	c.forwarded = nil
	// An activity that has slept in a join may have come to another worker. Then beneath is a
	// context of the worker that it was on before.
	if r.beneath.worker.Load() != w {
		r.beneath = w.newContext(nil)
	}
	w.active.Store(r.beneath)
	w.credit.Turn(r.beneath.key.account())
	r.beneath = nil // so that a spare stack keeps no scope alive
	return c
}

// End implements [activityhost.Owner]: the activity is counted as done. It runs on the activity's
// stack, so what few activities need is elsewhere.
func (t *activityHost) End(a *activity.Activity, p *sched.Processor, failure any, stack []byte, refused error) error {
	switch {
	case p == nil:
		return t.endAway(a, failure, stack, refused)
	case failure != nil:
		refused = t.panicked(a, workerOf(p), failure, stack)
	case refused == nil && t.key.scopeOf() == nil:
		workerOf(p).countRan(t.rt, 1)
		return nil
	}
	return t.endWith(a, workerOf(p), refused)
}

// endAway is End without a processor.
//
//go:noinline
func (t *activityHost) endAway(a *activity.Activity, failure any, stack []byte, err error) error {
	w := t.rt.detachedWorker()
	if failure != nil {
		err = t.panicked(a, w, failure, stack)
	}
	return t.endWith(a, w, err)
}

// endWith is End for an activity that has failed with err, or is of a scope.
func (t *activityHost) endWith(a *activity.Activity, w *worker, err error) error {
	if err == nil {
		w.countRan(t.rt, 1)
	} else {
		w.countActivityFailed(t.rt, err, activities.StackOf(a) != nil)
		w.env.drops(a)
	}
	if x := t.key.scopeOf(); x != nil {
		if err != nil && err != errWithdrawn {
			x.fail(titleOf(a), t.origin(), err)
		}
		if m := x.more.Load(); m != nil {
			m.waiting.Delete(a)
		}
		t.origin().withdraw(w)
		t.origin().ended(w)
	}
	return err
}

// panicked reports an activity that has panicked or called runtime.Goexit, and returns its error.
//
//go:noinline
func (t *activityHost) panicked(a *activity.Activity, w *worker, failure any, stack []byte) error {
	if failure == activityhost.ErrGoexit {
		failure = nil // the form in which worker.panicked takes a Goexit
	}
	return w.panicked(titleOf(a), "", t.origin(), failure, stack)
}

// origin returns the lineage that the activity's failures are reported with.
func (t *activityHost) origin() *lineage {
	if t.key == nil {
		return nil
	}
	return &t.key.root
}

// Canceled implements [activityhost.Owner].
func (t *activityHost) Canceled() error {
	if t.Closing() {
		return ErrClosed
	}
	if x := t.key.scopeOf(); x != nil {
		return x.refusal()
	}
	return nil
}

// Closing implements [activityhost.Owner].
func (t *activityHost) Closing() bool { return t.rt.phase.Load() >= aborting }

// Closed implements [activityhost.Owner].
func (*activityHost) Closed() error { return ErrClosed }

// Watch implements [activityhost.Owner].
func (t *activityHost) Watch(a *activity.Activity) {
	x := t.key.scopeOf()
	if x == nil {
		return
	}
	x.withMore().waiting.Store(a, t.rt.env.orderOfWait(x))
	t.rt.env.enroll(x)
}
