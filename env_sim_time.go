package freerun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/freerun-go/freerun/internal/promise"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/simhost"
	"github.com/freerun-go/freerun/internal/sys/threadlock"
	"github.com/freerun-go/freerun/internal/timerwheel"
	"github.com/freerun-go/freerun/internal/vclock"
)

// timedScheduler adapts a timed schedule to the interface of the scheduler.
type timedScheduler struct {
	simhost.Timed
	sim *simulation
}

func (t timedScheduler) Due() bool { return t.sim.clock.Due() }

func (t timedScheduler) Happen() { t.sim.happen() }

func (t timedScheduler) Stole(thief, victim *sched.Processor, tasks uint64) {
	t.Timed.Stole(thief.Index(), victim.Index(), tasks)
}

// begins tells the schedule that the operation of msg begins on w. id is as for sends.
func (m *simulation) begins(w *worker, c *Context, k *vtable, msg *message, id any) {
	m.schedule.Began(w.processor.Index(), fullName(k.describe(msg)))
	if m.timed != nil {
		m.timed.On(w.processor.Index(), msg.unit.known(), id, msg.vtable().recycle == nil)
		c.marks |= isTimed
	}
}

// endTimed tells the timed schedule that the operation ends, before other processors see that.
func (c *Context) endTimed() {
	if w := c.worker.Load(); w.processor != nil {
		w.env.sim.timed.Ends(w.processor.Index())
		w.processor.Pause()
	}
}

// sends pauses w before a send to u. id is the message, or the activity.
func (m *simulation) sends(w *worker, u *unit, id any) {
	if m.timed != nil {
		m.timed.Sends(w.processor.Index(), u.known(), id)
	}
	w.processor.Pause()
}

// forks pauses w at a fork.
func (m *simulation) forks(w *worker) {
	if w.processor != nil {
		m.timed.Forks(w.processor.Index())
		w.processor.Pause()
	}
}

// joinTimed is a join where time is simulated, after entersJoin. A fork asks no other processor
// while none wants its branch, so there would be no instant at which one could come in. Here the
// schedule is asked before the fork, and between the branches. first calls the first branch.
func (l *forkStack[A, R]) joinTimed(c *Context, first func(), second A) (y R) {
	h, done := len(l.frames), false
	l.frames = append(l.frames, second)
	defer func() {
		if !done {
			l.unwind(h, recover())
		}
	}()
	if c.forks.offer.Empty() {
		c.publish()
	}
	first()
	c.rt.env.forks(c)
	if len(l.jobs) > h {
		y = l.join()
	} else {
		second = l.frames[h]
		l.frames[h] = *new(A)
		l.frames = l.frames[:h]
		if c.forks.offer.Empty() {
			c.publish()
		}
		y = l.fn(c, second)
	}
	done = true
	return y
}

// runTimed runs the span where time is simulated: it splits the span into halves down to the grain,
// and joins them, as joins ask the schedule. A loop itself asks nobody.
func (s span[T]) runTimed(c *Context) (sum T) {
	if c.ordinary() {
		c.visit(func(v *Context) { sum = s.halves(v) })
		return sum
	}
	return s.halves(c)
}

func (s span[T]) halves(c *Context) T {
	if s.to-s.from <= s.loop.grain {
		return s.serially(c)
	}
	low, high := s, s
	low.to = s.from + (s.to-s.from)/2
	high.from = low.to
	x, y := Join(c, low.halves, high.halves)
	if s.loop.combine == nil {
		return x
	}
	return s.loop.combine(x, y)
}

// hideRun has the next join find that the top run lies in another fork stack, and enter a run.
func (f *forks) hideRun() {
	r := &f.runs[len(f.runs)-1]
	r.key, r.at = nil, nil
	f.key, f.last = nil, nil
}

func (m *simulation) rests(w *worker) {
	if m.timed != nil {
		m.timed.Rests(w.processor.Index())
	}
}

// known returns the pointer by which a schedule knows the unit, nil for free operations.
func (u *unit) known() any {
	if u == &u.rt.free {
		return nil
	}
	return u
}

// Goroutines outside whose time is simulated, too (internal/sched/driver_outside.go). They let the
// schedule choose who goes on before each send and where they read the time, and wait as coroutines
// of the driver.

// Each of these refuses a simulation.
var (
	errThreadLocked = fmt.Errorf("freerun: a goroutine of Host.Go has locked its thread where time is simulated, and was unlocked; it must not call runtime.LockOSThread: %w", errors.ErrUnsupported)
	errForeign      = errors.New("freerun: another goroutine than that which runs the program sends, or reads the time, where time is simulated; it and those of Host.Go must do all that sends and waits")
	errOthersClose  = fmt.Errorf("freerun: a goroutine of Host.Go closes the runtime where time is simulated; the goroutine that has made the runtime must: %w", errors.ErrUnsupported)
)

// outsider returns the goroutine outside that runs now, nil if an operation runs or if the time of
// such goroutines is not simulated. A coroutine is unlocked from its thread: Go cannot switch it
// otherwise.
func (m *simulation) outsider() *sched.Outsider {
	o := m.rt.scheduler.Outsider()
	if o != nil && o.IsCoroutine() && threadlock.Held() {
		m.timed.Refuse(errThreadLocked)
		if !threadlock.Release() {
			panic(errThreadLocked) // in a callback from C
		}
	}
	return o
}

// outsiderHere is outsider for calls that do not wait. Those of other goroutines are refused, as
// far as they can be told: while no processor runs.
func (m *simulation) outsiderHere() *sched.Outsider {
	o := m.outsider()
	if o != nil && !o.RunsHere() {
		m.timed.Refuse(errForeign)
		return nil
	}
	return o
}

// startOutside starts a goroutine outside. wait waits for its end; by another one of them.
func (m *simulation) startOutside(f func()) (wait func() error) {
	if m.rt.scheduler.Outsider() == nil {
		panic("freerun: a goroutine of Host.Go is started by an operation; only the program's goroutine, and others of Host.Go, may start one")
	}
	o := m.rt.scheduler.Go(func() {
		defer func() { // at runtime.Goexit, too
			if value := recover(); value != nil {
				m.outsider() // on its own thread no more
				panic(value)
			}
			m.pauseOutside() // its last piece is over before another one sees its end
		}()
		f()
	})
	return func() error {
		me := m.outsider()
		if me != nil && !o.Ended() && !me.Await(m.rt.scheduler, o.Ended, m.goOn) {
			return ErrStalled
		}
		return nil
	}
}

// sendsOutside pauses the running goroutine outside, if it is one whose time is simulated, before a
// send to u.
func (m *simulation) sendsOutside(u *unit, id any) {
	if o := m.outsiderHere(); o != nil {
		m.timed.Sends(o.Index(), u.known(), id)
		o.Pause(m.rt.scheduler)
	}
}

// pauseOutside pauses it in between, so that its time is known.
func (m *simulation) pauseOutside() {
	if o := m.outsiderHere(); o != nil {
		o.Pause(m.rt.scheduler)
	}
}

// mayEnd returns an error if the calling goroutine must not end the runtime: a coroutine of the
// driver cannot drive it to its end.
func (m *simulation) mayEnd() error {
	if o := m.outsider(); o != nil && o.IsCoroutine() {
		m.timed.Refuse(errOthersClose)
		return errOthersClose
	}
	return nil
}

// awaitOutside is drive for such a goroutine.
func (m *simulation) awaitOutside(ctx context.Context, o *sched.Outsider, x condition) error {
	m.timed.Enter()
	over := func() bool { return x.reached() || ctx.Err() != nil }
	switch {
	case !o.Await(m.rt.scheduler, over, m.goOn):
		return m.stalled(x)
	case x.reached():
		return nil
	}
	return ctx.Err()
}

// awaitIdleOutside is awaitIdle for such a goroutine. It waits until nothing is left to run by any
// processor at some instant; other goroutines may go on to send.
func (m *simulation) awaitIdleOutside(ctx context.Context, o *sched.Outsider) error {
	m.timed.Enter()
	err := o.AwaitIdle(ctx, m.rt.scheduler, m.rt.settled, m.goOn)
	if errors.Is(err, sched.ErrStalled) {
		return m.stalled(nil)
	}
	return err
}

// simTimer is the entry of a simulation for a timer that has not ended.
type simTimer struct {
	nth   uint64        // its number in the order in which timers began
	alarm *vclock.Timer // nil until the timer is armed
}

func (m *simulation) afterFunc(d time.Duration, f func()) (stop func() bool) {
	t := m.clock.AfterFunc(d, f)
	return func() bool { return m.clock.Stop(t) }
}

func (m *simulation) register(t *Timer) {
	m.begunTimers++
	m.timers.Store(t, &simTimer{nth: m.begunTimers})
}

func (m *simulation) known(t *Timer) *simTimer {
	x, _ := m.timers.Load(t)
	return x.(*simTimer)
}

func (m *simulation) arm(t *Timer, d time.Duration, from uint32) {
	if t.entry.State.CompareAndSwap(from, timerwheel.Set) {
		m.known(t).alarm = m.clock.AfterFunc(d, func() { m.ring(t) })
	}
}

func (m *simulation) disarm(t *Timer) { m.clock.Stop(m.known(t).alarm) }

// happen fires the timers that are due while operations run.
func (m *simulation) happen() {
	m.busy = true
	defer func() { m.busy = false }()
	m.clock.Fire()
}

// ring fires t. The virtual clock calls it. A repetition that would wait for room in a mailbox
// while operations run rings again when they have gone on.
func (m *simulation) ring(t *Timer) {
	if u := t.target.unit; m.busy && t.entry.Repeats && u.mayKeepSendersWaiting() && u.ext.Load().limit.isFull() {
		m.known(t).alarm = m.clock.AfterFunc(0, func() { m.ring(t) })
		return
	}
	m.rt.firing.Add(1)
	defer m.rt.fired()
	t.fire(m.rt.detachedWorker())
}

// endTimers fails the timers that openTimers returns.
func (m *simulation) endTimers(s *Scope, why *promise.Failure) {
	for _, t := range m.openTimers(s) {
		t.end(why)
	}
}

// openTimers returns the timers that have not ended, in the order in which they began. With a
// non-nil s it returns only the timers of s and of the scopes below.
func (m *simulation) openTimers(s *Scope) (open []*Timer) {
	nth := map[*Timer]uint64{}
	m.timers.Range(func(key, x any) bool {
		if t := key.(*Timer); s == nil || t.scope.isIn(s) {
			open = append(open, t)
			nth[t] = x.(*simTimer).nth
		}
		return true
	})
	slices.SortFunc(open, func(a, b *Timer) int { return cmp.Compare(nth[a], nth[b]) })
	return open
}

// An activity that waits with a context of the program's own is woken when that context is done.
// The standard library would wake it on a goroutine of its own, at a moment that no seed decides.
// So the driver of a deterministic runtime looks at these contexts itself, when nothing is left to
// run.

// watchedContext is a context that the driver watches. The driver calls f when ctx is done.
type watchedContext struct {
	ctx context.Context
	f   func()
}

func (m *simulation) afterDone(ctx context.Context, f func()) (stop func() bool) {
	_ = m.refusal(ctx)
	w := &watchedContext{ctx, f}
	m.contexts = append(m.contexts, w)
	return func() bool { return m.forgetContext(w) }
}

func (m *simulation) forgetContext(w *watchedContext) bool {
	i := slices.Index(m.contexts, w)
	if i < 0 {
		return false
	}
	m.contexts = slices.Delete(m.contexts, i, i+1)
	return true
}

// endDone calls f of each watched context that is done, in the order in which the waits began. It
// reports whether there were any.
func (m *simulation) endDone() (some bool) {
	for _, w := range slices.Clone(m.contexts) {
		if w.ctx.Err() != nil && m.forgetContext(w) {
			w.f()
			some = true
		}
	}
	return some
}

// errDeadline says that a context has a deadline, which is in real time, where time is simulated.
var errDeadline = fmt.Errorf("freerun: a context has a deadline, which is in real time, and time is simulated; wait without one, or have SendAfter of an operation cancel the context: %w", errors.ErrUnsupported)

// refusal returns an error, and refuses the simulation, if ctx has a deadline and time is
// simulated: which comes first, the deadline or an event, would differ from run to run.
func (m *simulation) refusal(ctx context.Context) error {
	if m.timed == nil {
		return nil
	}
	if _, limited := ctx.Deadline(); !limited {
		return nil
	}
	m.timed.Refuse(errDeadline)
	return errDeadline
}

// awaitDeadline waits, in real time, for the watched context with the soonest deadline, and ends
// the waits with it. It reports whether there was one: a wait with a deadline is not stalled. Where
// time is simulated there is none.
func (m *simulation) awaitDeadline() bool {
	if m.timed != nil {
		return false
	}
	var first context.Context
	var soonest time.Time
	for _, w := range m.contexts {
		if at, ok := w.ctx.Deadline(); ok && (first == nil || at.Before(soonest)) {
			first, soonest = w.ctx, at
		}
	}
	if first == nil {
		return false
	}
	<-first.Done()
	return m.endDone()
}
