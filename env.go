package freerun

import (
	"context"
	"time"

	"github.com/freerun-go/freerun/internal/magazine"
	"github.com/freerun-go/freerun/internal/record"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sys/blockhook"
	"github.com/freerun-go/freerun/internal/sys/pin"
)

// env surrounds the processors of a runtime: time, and other goroutines. There are two:
//
//	live  sim is nil: time is Go's, and processors have goroutines of their own
//	sim   time is virtual, and the goroutine that waits runs all processors, by a schedule
//
// [newEnv] chooses. All that differs between the two is behind the methods of env: no other file
// asks which of them a runtime has. On the hot path a method is one look at a pointer, inlined.
//
// The zero env is live. A copy is as good as the original; each worker has one.
type env struct{ sim *simulation }

// newEnv returns the env that the settings ask for, and completes the scheduler's settings.
func newEnv(rt *Runtime, s *settings, config *sched.Config) env {
	if s.schedule == nil {
		pin.Prepare() // it starts a goroutine, and a simulated runtime must start none
		return env{}
	}
	return env{newSimulation(rt, s, config)}
}

// timed returns the simulation if it simulates how long operations take, and nil otherwise.
func (e env) timed() *simulation {
	if e.sim == nil || e.sim.timed == nil {
		return nil
	}
	return e.sim
}

// mostProcessors returns how many processors the runtime can have.
func (e env) mostProcessors() int {
	if m := e.timed(); m != nil {
		return m.processors
	}
	return sched.MostProcessors
}

// now returns the time.
func (e env) now() time.Time {
	if e.sim != nil {
		return e.sim.clock.Now()
	}
	return time.Now()
}

// Now returns the time of the runtime's clock: time.Now, or virtual time in a deterministic
// runtime. Any goroutine may call it, operations too; in a deterministic runtime, only operations
// and the goroutine that waits. It does not wait.
func (rt *Runtime) Now() time.Time {
	rt.mustBeMade()
	if rt.env.sim != nil {
		rt.env.sim.pauseOutside()
	}
	return rt.env.now()
}

// afterFunc calls f once d has passed: on a goroutine of its own, or on the driver's. stop prevents
// the call, and reports whether it did.
func (e env) afterFunc(d time.Duration, f func()) (stop func() bool) {
	if e.sim != nil {
		return e.sim.afterFunc(d, f)
	}
	return time.AfterFunc(d, f).Stop
}

// afterDone calls f once ctx is done, as [context.AfterFunc] does. The driver of a simulated
// runtime looks at ctx when nothing is left to run.
func (e env) afterDone(ctx context.Context, f func()) (stop func() bool) {
	if e.sim != nil {
		return e.sim.afterDone(ctx, f)
	}
	return context.AfterFunc(ctx, f)
}

// afterCancel calls f once the scope is canceled. A simulated runtime does not call it: no
// goroutine but the driver could, and the driver looks at what it waits for itself.
func (e env) afterCancel(s *Scope, f func()) (stop func() bool) {
	if e.sim != nil {
		return func() bool { return true }
	}
	return context.AfterFunc(s.ctx, f)
}

// watchPromise has a promise fail when its scope is canceled, soon after: messages that wait for it
// need not be asked for. A simulated runtime looks at its promises when nothing is left to run.
func (e env) watchPromise(s *Scope, m *promised) (stop func() bool) {
	if e.sim != nil {
		e.sim.keepPromise(m)
	}
	return e.afterCancel(s, func() { m.closedNow() })
}

// checkScope refuses a simulation of time in which a scope is made with a context that has a
// deadline.
func (e env) checkScope(ctx context.Context) {
	if e.sim != nil {
		_ = e.sim.refusal(ctx)
	}
}

// spawn calls f on a goroutine of its own, or at once on the driver.
func (e env) spawn(f func()) {
	if e.sim != nil {
		f()
	} else {
		go f()
	}
}

// condition tells a caller of driveUntil whether its wait is over. It fits in a pointer: to pass
// one allocates nothing.
type condition interface {
	// reached reports whether the condition holds.
	reached() bool
}

// conditionFunc is a function as a condition.
type conditionFunc func() bool

func (f conditionFunc) reached() bool { return f() }

// driveUntil does nothing in a live runtime, and returns false: processors run on their own, and
// the caller sleeps until one of them wakes it.
//
// In a simulated runtime driveUntil runs operations on the calling goroutine until x is reached,
// and returns true. The error is nil, ctx's if ctx is done first, or an [ErrStalled] if nothing is
// left to run.
func (e env) driveUntil(ctx context.Context, x condition) (waited bool, err error) {
	if e.sim == nil {
		return false, nil
	}
	return true, e.sim.drive(ctx, x)
}

// awaitPlace is driveUntil for a sender that waits for a place in a full mailbox, and takes it.
func (e env) awaitPlace(b *mailboxLimit, m *message, from *sender) (waited bool, err error) {
	if e.sim == nil {
		return false, nil
	}
	return true, e.sim.awaitPlace(b, m, from)
}

// awaitIdle waits until all messages that were sent to rt are done.
func (e env) awaitIdle(ctx context.Context, rt *Runtime) error {
	if e.sim != nil {
		return e.sim.awaitIdle(ctx)
	}
	return rt.scheduler.AwaitIdle(ctx, rt.settled)
}

// awaitOthers calls spin, which waits for goroutines that are in the middle of a step. In a
// simulated runtime there are none: one goroutine runs at a time, and no other one comes in in the
// middle of such a step.
func (e env) awaitOthers(spin func()) {
	if e.sim == nil {
		spin()
	}
}

// hold is [Runtime.hold]: it has the sender of a message to u wait. It does not wait in a simulated
// runtime: whether it had to would depend on the threads that the driver was on.
func (e env) hold(d *magazine.Depot, u *unit) bool { return e.sim == nil && u.rt.hold(d, u) }

// noteWait notes that msg waits for m, for the report of a standstill.
func (e env) noteWait(msg *message, m *promised) {
	if e.sim != nil {
		e.sim.noteWait(msg, m)
	}
}

// release calls weaken, which leaves a passive unit of a kind to the collector. A simulated runtime
// keeps such units: when the collector runs differs from run to run.
func (e env) release(weaken func()) {
	if e.sim == nil {
		weaken()
	}
}

// orderOf returns the place of a unit in the order in which a message comes to several units. Live,
// that is the place by address. Addresses differ from run to run, so in a simulated runtime it is
// the place in which the unit was given; any order will do there, as no placing is interrupted.
func (e env) orderOf(byAddress, given int32) int32 {
	if e.sim != nil {
		return given
	}
	return byAddress
}

// orderOfWait returns a number that grows with each wait of an activity; live it is 0, because
// activities that are woken together run in any order. s is the activity's scope.
func (e env) orderOfWait(s *Scope) uint64 {
	if e.sim != nil {
		return e.sim.orderOfWait(s)
	}
	return 0
}

// pause lets the schedule decide which processor goes on, in the middle of an operation on w.
func (w *worker) pause() {
	if w.env.sim != nil && w.processor != nil {
		w.processor.Pause()
	}
}

// block calls fn, which may wait, in the operation that runs on processor w with c. Live, the
// processor goes to another goroutine first. In a simulated runtime nothing else goes on while fn
// waits, and the schedule decides before and after what does.
func (e env) block(c *Context, w *worker, fn func()) {
	if e.sim == nil {
		w.blockAway(fn)
		return
	}
	w.pause()
	defer func() { c.here().pause() }()
	fn()
}

// leaveCrashed takes an operation that has panicked, whose task is t, off w, before the functions
// of its unit are called that deal with panics. They run on goroutines of their own, for which the
// operation waits: so in a program of `freerun build` (activity/unaware.go) they keep nobody from
// the processor. In a simulated runtime nothing else goes on meanwhile.
func (e env) leaveCrashed(c *Context, w *worker, t *sched.Task) {
	if e.sim != nil || !blockhook.Compiled {
		return
	}
	c.leaveWith(w, t)
	if c.seen != 0 {
		c.traceBack()
	}
}

// tell tells r in the line l, and waits for that for at most the given time. In a simulated runtime
// it waits until that has ended: nothing else goes on meanwhile, and a schedule is repeated.
func (e env) tell(l *reportLine, r *report, most time.Duration) {
	if e.sim == nil {
		l.tell(r, most)
	} else if crash := guard(r.what, r.tell); crash != nil {
		r.crashed(crash)
	}
}

// blockFor calls wait, which waits for what others do, as in Block. In a simulated runtime nothing
// else goes on meanwhile: there nobody waits.
func (e env) blockFor(c *Context, wait func() error) (err error) {
	if e.sim != nil {
		return ErrWouldBlock
	}
	c.Block(func() { err = wait() })
	return err
}

// What a schedule is told of operations, and what a recording takes its time from.

// observers returns the observers that the env has for all operations: see worker.observed.
func (e env) observers() uint64 {
	if e.sim != nil {
		return bySchedule
	}
	return 0
}

// observersOutside returns the observers that the env has for sends of ordinary goroutines.
func (e env) observersOutside() uint64 {
	if e.sim != nil && e.sim.outside {
		return bySchedule
	}
	return 0
}

// begins tells the schedule that an operation of vtable k begins on w. id is as for sends.
func (e env) begins(w *worker, c *Context, k *vtable, m *message, id any) {
	if e.sim != nil {
		e.sim.begins(w, c, k, m, id)
	}
}

// mayEnd returns the error of a call that must not end the runtime here; nil if it may.
func (e env) mayEnd() error {
	if e.sim == nil {
		return nil
	}
	return e.sim.mayEnd()
}

// sends has the schedule decide what goes on before w sends to u. id is the message, or the
// activity that is started.
func (e env) sends(w *worker, u *unit, id any) {
	switch {
	case e.sim == nil:
	case w.processor != nil:
		e.sim.sends(w, u, id)
	default:
		e.sim.sendsOutside(u, id)
	}
}

// drops tells a schedule that simulates time that a message which was admitted, or an activity,
// ends without being run. It may tell so of one that has run.
func (e env) drops(id any) {
	if m := e.timed(); m != nil {
		m.timed.Drops(id)
	}
}

// forks has a schedule that simulates time decide what goes on, and reports whether there is one:
// the operation of c forks, joins, begins a loop, or goes on after a join. The same is called where
// a stolen branch begins and ends.
func (e env) forks(c *Context) (timed bool) {
	m := e.timed()
	if m != nil {
		m.forks(c.worker.Load())
	}
	return m != nil
}

// entersJoin is forks for a join of c in a run of its own. It has each join inside come here too.
func (e env) entersJoin(c *Context) (timed bool) {
	if e.timed() == nil {
		return false
	}
	c.forks.hideRun()
	return e.forks(c)
}

// rests tells the schedule that w has nothing to do.
func (e env) rests(w *worker) {
	if e.sim != nil {
		e.sim.rests(w)
	}
}

// recordClock returns the clock of a new recording.
func (e env) recordClock() record.Clock {
	if e.sim != nil {
		return e.sim.recordClock()
	}
	return record.Clock{}
}
