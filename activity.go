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

// Package activity lies below this one, and knows nothing of scopes, futures and shutdowns. What an activity has of those is here: to the runtime it is
// a message that is run in pieces. It is counted as one, in its scope too, it is reported as one when it panics or does not return, and it is
// canceled with its scope.

// ContextOf returns the context that an activity sends through: on the fast path, under the scope and with the priority that the activity was started with. As a
// [context.Context] it may be kept; see [Context]. By the activity's own goroutine only; it panics elsewhere, and for an activity of no runtime.
func ContextOf(a *activity.Activity) *Context {
	on := activities.StackOf(a)
	if on == nil {
		if a == nil {
			panic("freerun: ContextOf of a nil Activity; an activity is passed its own")
		}
		panic("freerun: ContextOf by another goroutine than the activity's own")
	}
	return roomOn(on).context
}

// activityPlace makes Runtime, Scope and Context places where activities can be started.
//
//lint:ignore U1000 it is embedded for its method
type activityPlace = activityhost.Mark

// activities is what package activity can do for this one.
var activities = activityhost.For[activity.Activity]()

func init() { activities.StartWith(startActivityIn) }

// startActivityIn starts a, which is new, where [activity.Go] was told to. A scope has a faster way in an operation or an activity of another scope: [Context.In].
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
	s := c.checked().here()
	if err := s.admits(c, &c.rt.free, nil); err != nil {
		if x := c.Scope(); x != nil {
			x.fail(titleOf(a), &c.key.root, err)
		}
		return err
	}
	if s.observed.Load() != 0 {
		s.starting(a)
	}
	if c.Scope() != nil {
		s.credit.Begin(c.key.account())
	}
	activities.Begin(a, c.tenant(), c.Priority(), c.rt.scheduler, s.processor)
	return nil
}

// tenant keeps the accounts of the activities of one realm.
type activityHost struct {
	rt  *Runtime
	key *contextKey // nil: the runtime's own
}

var _ activityhost.Owner[activity.Activity] = (*activityHost)(nil)

func (c *Context) tenant() *activityHost {
	if c.key == nil {
		return &c.rt.tenant
	}
	return &c.key.tenant
}

// room is what the runtime keeps with a stack: the context that its activities send through, one after another.
type activitySlot struct {
	context  *Context
	letter   message  // that stands for the activity
	beneath  *Context // that was active on the seat before
	awaits   *awaiter // to be used for the next wait
	awaiting *promise // what it waits for in Await, for reports
}

var slotVtable = newVtable(vtable{describe: describeSlot}, nil)

// title is the name of the activity that runs with c now, nil if it has none.
type title = atomics.RelaxedPointer[string]

func roomOn(on *activityhost.Stack) *activitySlot {
	r, ok := on.Local.(*activitySlot)
	if !ok {
		panic("freerun: an activity of no runtime")
	}
	return r
}

func describeSlot(l *message) string {
	return workerOf(sched.CurrentProcessor()).active.Load().operation()
}

// titleOf names an activity: by its name, or else by its function.
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
		return roomOn(on).context.startActivity(b)
	}
	if t.key == nil {
		return t.rt.context.startActivity(b)
	}
	return t.key.outside.startActivity(b)
}

// Enter implements [activityhost.Owner]: the context of the activity becomes that of the seat.
func (t *activityHost) Enter(a *activity.Activity, on *activityhost.Stack, p *sched.Processor) {
	s := workerOf(p)
	r := t.roomFor(on, s)
	c := r.context
	c.worker.Store(s)
	c.forks.offer = p.Offer()
	if c.forks.forkParts != nil {
		c.forks.parker = nil
	}
	c.current = &r.letter
	if code := on.Code; c.function.Load() != code || c.title.Load() != nil || a.Name() != "" {
		c.function.Store(code)
		c.title.Store(on.Title)
	}
	c.inside.Store(1)
	r.beneath = s.active.Load()
	s.active.Store(c)
	s.credit.Turn(t.key.account())
	if s.observed.Load() != 0 || trace.IsEnabled() {
		s.observeActivity(c, a, r)
	}
}

// roomFor returns the room of the activity's stack, with a context of this realm.
func (t *activityHost) roomFor(on *activityhost.Stack, s *worker) *activitySlot {
	r, _ := on.Local.(*activitySlot)
	if r == nil {
		r = &activitySlot{}
		r.letter.become(slotVtable)
		on.Local = r
	}
	if r.context == nil || r.context.rt != t.rt || r.context.key != t.key {
		r.context = s.newContext(t.key)
		r.context.kind.Store(slotVtable)
		r.letter.unit = &t.rt.free
		r.awaits = nil
	}
	return r
}

// Leave implements [activityhost.Owner]: the seat has the context again that it had before.
func (t *activityHost) Leave(_ *activity.Activity, on *activityhost.Stack, p *sched.Processor) {
	c := t.moveOut(on, p)
	c.inside.Store(0)
}

// Depart implements [activityhost.Owner].
func (t *activityHost) Depart(_ *activity.Activity, on *activityhost.Stack, p *sched.Processor) {
	hostStateOf(p.Host()).away.Store(t.moveOut(on, p))
}

func (t *activityHost) moveOut(on *activityhost.Stack, p *sched.Processor) *Context {
	s, r := workerOf(p), roomOn(on)
	c := r.context
	c.publishAll(p)
	c.forks.home.Store(0)
	c.forks.offer = sched.NoOffer()
	if c.seen != 0 {
		s.traceOut(c)
		c.observeEnd()
	}
	c.current = nil
	c.forwarded = nil
	if r.beneath.worker.Load() != s { // it has come here while it slept in a join, and what was active here is lost
		r.beneath = s.newContext(nil)
	}
	s.active.Store(r.beneath)
	s.credit.Turn(r.beneath.key.account())
	r.beneath = nil // a stack that is kept keeps no scope
	return c
}

// End implements [activityhost.Owner]: the activity is counted as done.
func (t *activityHost) End(a *activity.Activity, p *sched.Processor, failure any, stack []byte, refused error) error {
	s := t.rt.detachedWorker()
	if p != nil {
		s = workerOf(p)
	}
	err := refused
	if failure != nil {
		if failure == activityhost.ErrGoexit {
			failure = nil // as panicked knows it
		}
		err = s.panicked(titleOf(a), t.origin(), failure, stack)
	}
	if err == nil {
		s.countRan(t.rt, 1)
	} else {
		s.countFailed(t.rt, err, 1)
	}
	if x := t.key.scopeOf(); x != nil {
		if err != nil {
			x.fail(titleOf(a), t.origin(), err)
		}
		if m := x.more.Load(); m != nil {
			m.waiting.Delete(a)
		}
		t.origin().withdraw(s)
		t.origin().ended(s)
	}
	return err
}

// origin is what the activity's failures are reported with.
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
	nth := uint64(0)
	if t.rt.deterministic() {
		t.rt.waits++
		nth = t.rt.waits
		if !slices.Contains(t.rt.waitedIn, x) {
			t.rt.waitedIn = append(t.rt.waitedIn, x)
		}
	}
	x.withMore().waiting.Store(a, nth)
	x.enroll()
}

// interruptWaiting wakes the activities of a canceled scope that wait, and reports whether there were any; in a deterministic runtime, in the order in which they
// waited first.
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
	return t.rt.clock.afterFunc(d, f)
}

// AfterDone implements [activityhost.Owner].
func (t *activityHost) AfterDone(ctx context.Context, f func()) (stop func() bool) {
	if t.rt.deterministic() {
		return t.rt.whenDone(ctx, f)
	}
	return context.AfterFunc(ctx, f)
}

// Drive implements [activityhost.Owner].
func (t *activityHost) Drive(ctx context.Context, reached func() bool) (driven bool, err error) {
	if !t.rt.deterministic() {
		return false, nil
	}
	return true, t.rt.driveUntil(ctx, reached)
}
