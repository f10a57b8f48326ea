package freerun

import (
	"cmp"
	"context"
	"runtime/trace"
	"slices"
	"time"

	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/activityhost"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
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
	return slotOn(on).context
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
	if c.Scope() != nil {
		w.credit.Begin(c.key.account())
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
// context that they send through.
type activitySlot struct {
	context  *Context
	message  message   // stands for the activity
	beneath  *Context  // the worker's active context before
	awaits   *awaiter  // reused for the next wait
	awaiting *promised // what the activity waits for in Await, for reports
}

// title is the name of the activity that runs with a context now, nil if it has none.
type title = atomics.RelaxedPointer[string]

// slotOn returns the activity slot of a stack; it panics if the runtime has put none there.
func slotOn(on *activityhost.Stack) *activitySlot {
	r, ok := on.Local.(*activitySlot)
	if !ok {
		panic("freerun: an activity of no runtime")
	}
	return r
}

func describeSlot(m *message) string {
	return workerOf(sched.CurrentProcessor()).active.Load().operation()
}

// titleOf returns the name of an activity, or that of its function if it has none.
func titleOf(a *activity.Activity) string {
	if name := a.Name(); name != "" {
		return name
	}
	return functionName(activities.Code(a))
}

// Context implements [activityhost.Owner].
func (t *activityHost) Context() context.Context {
	if t.key == nil {
		return &t.rt.context
	}
	return &t.key.outside
}

// Start implements [activityhost.Owner].
func (t *activityHost) Start(a, b *activity.Activity) error {
	if on := activities.StackOf(a); on != nil {
		return slotOn(on).context.startActivity(b)
	}
	if t.key == nil {
		return t.rt.context.startActivity(b)
	}
	return t.key.outside.startActivity(b)
}

// Enter implements [activityhost.Owner]: the activity's context becomes the worker's active one.
func (t *activityHost) Enter(a *activity.Activity, on *activityhost.Stack, p *sched.Processor) {
	w := workerOf(p)
	r := t.slotFor(on, w)
	c := r.context
	c.worker.Store(w)
	c.forks.offer = p.Offer()
	if c.forks.forkParts != nil {
		c.forks.parker = nil
	}
	c.current = &r.message
	if code := on.Code; c.function.Load() != code || c.title.Load() != nil || a.Name() != "" {
		c.function.Store(code)
		c.title.Store(on.Title)
	}
	c.inside.Store(1)
	r.beneath = w.active.Load()
	w.active.Store(c)
	w.credit.Turn(t.key.account())
	if w.observed.Load() != 0 || trace.IsEnabled() {
		w.observeActivity(c, a, r)
	}
}

// slotFor returns the activity slot of the stack, with a context of t's scope and priority.
func (t *activityHost) slotFor(on *activityhost.Stack, w *worker) *activitySlot {
	r, _ := on.Local.(*activitySlot)
	if r == nil {
		r = &activitySlot{}
		r.message.become(slotVtable)
		on.Local = r
	}
	if r.context == nil || r.context.rt != t.rt || r.context.key != t.key {
		r.context = w.newContext(t.key)
		r.context.kind.Store(slotVtable)
		r.message.unit = &t.rt.free
		r.awaits = nil
	}
	return r
}

// Leave implements [activityhost.Owner]: the worker's former active context is active again.
func (t *activityHost) Leave(_ *activity.Activity, on *activityhost.Stack, p *sched.Processor) {
	c := t.moveOut(on, p)
	c.inside.Store(0)
}

// Depart implements [activityhost.Owner].
func (t *activityHost) Depart(_ *activity.Activity, on *activityhost.Stack, p *sched.Processor) {
	hostStateOf(p.Host()).away.Store(t.moveOut(on, p))
}

// moveOut takes the activity's context off its worker, whose former context is active again.
func (t *activityHost) moveOut(on *activityhost.Stack, p *sched.Processor) *Context {
	w, r := workerOf(p), slotOn(on)
	c := r.context
	c.publishAll(p)
	c.forks.home.Store(0)
	c.forks.offer = sched.NoOffer()
	if c.seen != 0 {
		w.traceOut(c)
		c.observeEnd()
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

// End implements [activityhost.Owner]: the activity is counted as done.
func (t *activityHost) End(a *activity.Activity, p *sched.Processor, failure any, stack []byte, refused error) error {
	w := t.rt.detachedWorker()
	if p != nil {
		w = workerOf(p)
	}
	err := refused
	if failure != nil {
		if failure == activityhost.ErrGoexit {
			failure = nil // the form in which panicked takes a Goexit
		}
		err = w.panicked(titleOf(a), t.origin(), failure, stack)
	}
	if err == nil {
		w.countRan(t.rt, 1)
	} else {
		w.countFailed(t.rt, err, 1)
		w.env.drops(a)
	}
	if x := t.key.scopeOf(); x != nil {
		if err != nil {
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

// interruptWaiting wakes the activities of a canceled scope that wait, and reports whether there
// were any. In a deterministic runtime, it wakes them in the order of their first waits.
func (s *Scope) interruptWaiting() (some bool) {
	type waits struct {
		a   *activity.Activity
		nth uint64
	}
	m := s.more.Load()
	if m == nil {
		return false
	}
	var all []waits
	m.waiting.Range(func(a, nth any) bool {
		all = append(all, waits{a.(*activity.Activity), nth.(uint64)})
		return true
	})
	slices.SortFunc(all, func(x, y waits) int { return cmp.Compare(x.nth, y.nth) })
	for _, w := range all {
		some = activities.Interrupt(w.a) || some
	}
	return some
}

// AfterFunc implements [activityhost.Owner].
func (t *activityHost) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	return t.rt.env.afterFunc(d, f)
}

// AfterDone implements [activityhost.Owner].
func (t *activityHost) AfterDone(ctx context.Context, f func()) (stop func() bool) {
	return t.rt.env.afterDone(ctx, f)
}

// Drive implements [activityhost.Owner].
func (t *activityHost) Drive(ctx context.Context, reached func() bool) (driven bool, err error) {
	return t.rt.env.driveUntil(ctx, conditionFunc(reached))
}
