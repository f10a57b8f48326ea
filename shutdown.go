package freerun

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"
	"unsafe"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sched"
)

// usualGrace is the default of [Grace].
const usualGrace = time.Second

// Grace sets how long [Runtime.Close], and [Runtime.Shutdown] past its deadline, wait for running
// operations. The time runs from the moment at which their contexts are done. After it, the runtime
// ends without the operations that have not returned, and names them in a [*ShutdownError]. Timers
// that fire at that moment are waited for within the same time. The default is a second; 0 means no
// wait. Grace is no delay: the runtime ends as soon as all operations have returned. It panics if d
// is below 0.
func Grace(d time.Duration) Option {
	if d < 0 {
		panic("freerun: Grace needs a duration that is not below 0")
	}
	return Option{func(s *settings) { s.grace = d }}
}

// Draining returns a channel that is closed by the first call of [Runtime.Shutdown] or
// [Runtime.Close]. When it is closed, the runtime refuses messages of ordinary goroutines already.
// It is for operations that go on as long as the program does, and for goroutines that feed the
// runtime: a Shutdown waits for operations to end, up to its deadline, and only then are contexts
// done.
//
//	for {
//		select {
//		case event := <-events:
//			…
//		case <-c.Runtime().Draining():
//			return nil // a Shutdown has begun; there is time until its deadline
//		case <-c.Done():
//			return context.Cause(c) // its deadline, or a Close: there is time until Grace is over
//		}
//	}
//
// Any goroutine may call it, operations and activities too. It does not wait or allocate.
func (rt *Runtime) Draining() <-chan struct{} {
	rt.mustBeMade() // otherwise the channel could be nil, on which a caller waits for ever
	return rt.draining
}

// Quiesce waits until, at some instant of the call, no message is queued, running, or waiting for a
// future, and no activity runs or waits; then it returns nil. Messages whose send returned before
// Quiesce was called are done then; others may be on their way. Timers that are not due do not
// count. Quiesce returns ctx's error if ctx is done before, and [ErrClosed] if the runtime has
// ended, or its end has ended ctx or given messages up. Inside an operation or an activity it
// returns an [ErrWouldBlock] at once.
func (rt *Runtime) Quiesce(ctx context.Context) error {
	mustContext(ctx)
	if err := rt.checked(); err != nil {
		return err
	}
	if rt.phase.Load() == ended {
		return ErrClosed
	}
	err := rt.env.awaitIdle(ctx, rt)
	switch {
	case errors.Is(err, sched.ErrStopped):
		return ErrClosed
	case err == nil && rt.gaveUp(): // nothing is left because the end has given it up
		return ErrClosed
	case errors.Is(err, ErrStalled):
		return err
	case err != nil && ctx.Err() != nil:
		return rt.errorOf(ctx)
	}
	return err
}

// checked returns the error of a call that must not wait for the runtime here, inside an operation
// or an activity; nil if it may.
func (rt *Runtime) checked() error {
	rt.mustBeMade()
	if sched.Inside() {
		return refusalHere(errInside, errActivityEnds)
	}
	return nil
}

// Shutdown drains and ends the runtime. From now on it refuses messages of ordinary goroutines with
// [ErrClosed]. It waits until all accepted messages, and all messages that follow from them, are
// done, and all activities have ended, and until the logger ([Logger]) and the hook of [OnLost]
// have returned from all reports. Then it returns nil, and no goroutine of the runtime is left.
// Before, the active units of a [Kind] with [OnStop] are stopped, each in its turn, and then
// the units with [OnEnd]. The messages that follow are those that operations, branches and
// activities of the runtime send, also in and after [Context.Block]; the goroutines that they have
// started are ordinary ones. Timers end, and are not waited for.
//
// If ctx is done before that, messages that were not started fail with ErrClosed, contexts are
// canceled, and running operations get one more second, or the time that [Grace] sets. (They may
// learn of the shutdown earlier, by [Runtime.Draining].) Activities end where they wait. After
// that, the logger and the hook get a second. Then Shutdown returns a [*ShutdownError], which
// counts the abandoned messages and the activities that were ended, names the operations that did
// not return even then, counts the reports that were not told, and wraps ctx's error; it returns
// nil if there are none of these. A logger or a hook that does not return keeps its goroutine.
//
// Calls after the first wait for the same end, and may bring it forward. Inside an operation or an
// activity Shutdown does nothing, and returns an [ErrWouldBlock].
func (rt *Runtime) Shutdown(ctx context.Context) error {
	mustContext(ctx)
	if err := rt.mayEnd(); err != nil {
		return err
	}
	rt.advance(drains)
	rt.endTimers()
	rt.letAllIn()
	rt.ingress.stripes.Rendezvous()
	err := rt.env.awaitIdle(ctx, rt)
	for err == nil && (rt.stopKinds() || rt.stopUnits()) {
		err = rt.env.awaitIdle(ctx, rt)
	}
	if err == nil {
		err = rt.awaitReports(ctx)
	}
	if errors.Is(err, sched.ErrStopped) { // by a Close or another Shutdown, which end waits for
		err = nil
	}
	return rt.end(err)
}

// Close is a Shutdown whose time is over: messages that were not started fail with [ErrClosed]. It
// waits for running operations for a second, or the time that [Grace] sets, and then for the logger
// and the hook of [OnLost] for a second at most. It returns nil if all sent messages had been done
// and all reports told, otherwise a [*ShutdownError], which is logged too, for which Close waits as
// long once more. Close may be called again, and after or during Shutdown. Inside an operation or
// an activity it does nothing, and returns an [ErrWouldBlock].
func (rt *Runtime) Close() error {
	if err := rt.mayEnd(); err != nil {
		return err
	}
	return rt.end(nil)
}

// mayEnd returns the error of a call that must not end the runtime here; nil if it may.
func (rt *Runtime) mayEnd() error {
	if err := rt.checked(); err != nil {
		return err
	}
	return rt.env.mayEnd()
}

// end ends the runtime, once. Later callers wait for that and get the same error.
func (rt *Runtime) end(cause error) error {
	rt.advance(aborting) // outside of Do: the first caller may be waiting for this
	rt.ending.Do(func() {
		rt.cancel(ErrClosed)
		rt.endTimers()
		activities.InterruptAll(rt.scheduler)
		over := make(chan time.Time)
		defer time.AfterFunc(rt.grace, func() { close(over) }).Stop()
		rt.awaitFiring(over)
		rt.scheduler.Stop(over)
		left := rt.account(cause) // before the futures of what runs are closed, and counted
		rt.advance(ended)
		rt.audiences.abandonAll()
		if left != nil {
			rt.log(slog.LevelWarn, "work was left at the end", "error", left)
			rt.endErr = left
		}
		close(rt.finished)
	})
	return rt.endErr
}

// The accounts of a runtime at its end: each message that was sent is done, or abandoned, or has
// not returned: it has begun, and has no outcome yet. An activity is a message, and may have been
// ended where it waited. What has no outcome is counted exactly: sent less done. What has not
// returned is looked for:
//
//   - operations where they run, on the processors and on goroutines without one. One that moves
//     from a processor to such a goroutine, or comes back, may be missed;
//   - activities by their stacks, wherever they are;
//   - branches not at all: their operations are found themselves.
//
// So there may be messages without an outcome that a look does not find. Most come to none by
// themselves: what waits for a promise, or for a unit whose operation does not return. They are
// abandoned. Others are about to be found, or to be done, so account looks again, and takes the
// last look of those that leave the fewest. No look finds too many: what ends is not found any more
// before it is counted.

// mostLooks is how often account looks again, a millisecond apart.
const mostLooks = 20

// account returns the error for the messages, operations and reports that were left at the end; nil
// if there were none.
func (rt *Runtime) account(cause error) *ShutdownError {
	untold := rt.lastReports()
	// After this, each refused sender with a stripe has taken its count back.
	rt.ingress.stripes.Rendezvous()
	e, unseen := rt.look()
	rt.env.awaitOthers(func() {
		// A sender without a stripe may be about to take its count back.
		for looks := 0; unseen > 0 && looks < mostLooks; looks++ {
			time.Sleep(time.Millisecond)
			if again, n := rt.look(); n <= unseen {
				e, unseen = again, n
			}
		}
	})
	e.Cause, e.Untold = cause, untold
	if e.Abandoned == 0 && e.Ended == 0 && len(e.Running) == 0 && e.Untold == 0 {
		return nil
	}
	return e
}

// look returns the figures and the names of this moment, and how many messages without an outcome
// it has not found.
func (rt *Runtime) look() (e *ShutdownError, unseen uint64) {
	for {
		e = new(ShutdownError)
		done := rt.done()
		open := rt.sent() - done // read after done
		found := uint64(0)
		if open > 0 {
			e.Running, found = rt.unreturned()
		}
		abandoned := rt.abandoned()
		e.Ended = rt.activitiesEnded()
		if done == rt.done() { // so nothing has ended meanwhile
			unseen = uint64(max(0, int64(open-found)))
			e.Abandoned = abandoned + unseen
			return e, unseen
		}
	}
}

// unreturned returns the names of the operations and activities that have begun and not returned,
// and how many messages these are.
func (rt *Runtime) unreturned() (names []string, messages uint64) {
	var branches []string
	seen := make(map[*Context]bool)
	for _, s := range rt.scheduler.Unreturned() {
		c := contextOf(s.Host, s.Processor)
		if c == nil || seen[c] {
			continue
		}
		seen[c] = true
		what, n := c.inside.read()
		if what == anOperation {
			n++ // and those that it has inlined
		}
		switch name := c.innermost(); {
		case name == "": // the first operation of c is about to begin
		case n > 0:
			names, messages = append(names, name), messages+uint64(n)
		case what == aBranch:
			branches = append(branches, name)
		}
	}
	activities.EachBegun(rt.scheduler, func(code uintptr, title *string) {
		messages++
		if title != nil {
			names = append(names, *title)
		} else {
			names = append(names, functionName(code))
		}
	})
	for _, name := range branches {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, messages
}

// advance raises the phase, if it is lower, to the phase to. It closes draining when the phase
// leaves running.
func (rt *Runtime) advance(to uint32) {
	for now := rt.phase.Load(); now < to; now = rt.phase.Load() {
		if rt.phase.CompareAndSwap(now, to) {
			if now == running {
				close(rt.draining)
			}
			return
		}
	}
}

// When the scheduler has stopped, it discards the queued tasks. A discarded message fails. A
// discarded unit fails the messages in its mailbox.
//
// A failure may make other tasks ready: a unit that a message to several units held, or a message
// that waited for the failed future. The worker of the discarding goroutine puts these aside in
// orphans. The outermost call discards them, one after another: a chain of any length needs no
// stack.

// discardMessage fails a message that is a task itself.
func discardMessage(t *sched.Task) {
	w := (*message)(unsafe.Pointer(t)).unit.rt.discarder()
	w.failMessage(t)
	w.discardOrphans()
}

// discardUnit fails the messages of a unit.
func discardUnit(t *sched.Task) {
	w := unitOf(t).rt.discarder()
	w.failUnit(unitOf(t))
	w.discardOrphans()
}

// discarder returns a detached worker for a goroutine that discards tasks.
func (rt *Runtime) discarder() *worker {
	w := rt.detachedWorker()
	w.orphans = new(mailbox.Chain)
	return w
}

// discardOrphans discards the tasks that became ready meanwhile, until there are none.
func (w *worker) discardOrphans() {
	for n := w.orphans.PopFront(); n != nil; n = w.orphans.PopFront() {
		t := (*sched.Task)(unsafe.Pointer(n))
		switch {
		case isUnit(t):
			w.failUnit(unitOf(t))
		case t.Kind == &priorityMailboxVtable:
			w.failPriorityMailbox(priorityMailboxOf(t))
		default:
			w.failMessage(t)
		}
	}
}

func (w *worker) failMessage(t *sched.Task) {
	m := (*message)(unsafe.Pointer(t))
	m.vtable().fail(w, m, ErrClosed)
}

// failUnit fails the messages of a unit whose mailbox the caller owns. If the unit has priority
// mailboxes, failUnit claims the unit, as drain does: a message that it fails may hand the unit
// over to another goroutine, which expects a claim when it lets the unit go on.
func (w *worker) failUnit(u *unit) {
	for {
		if x := u.priorityMailboxes(); x != nil {
			if x.claim.Join(uint8(sched.Normal)) || x.claim.Claim(uint8(sched.Normal)) {
				w.failPriorityMailboxes(x)
			}
			return
		}
		m, later := u.next(w)
		if !later && (m == nil || !w.failTaken(u, m)) {
			return
		}
	}
}

// failPriorityMailbox fails the messages of a priority mailbox that the caller owns, and of the
// unit's others, which come with the claim on the unit. If the claim is taken, by an operation that
// does not return, the messages belong to the holder of the claim.
func (w *worker) failPriorityMailbox(e *priorityMailbox) {
	if x := e.all; x.claim.Claim(uint8(x.priorityOf(e))) {
		w.failPriorityMailboxes(x)
	}
}

// failPriorityMailboxes fails the messages of a unit on which the caller has the claim.
func (w *worker) failPriorityMailboxes(x *priorityMailboxes) {
	for {
		_, m, later := x.next(w)
		if !later && (m == nil || !w.failTaken(x.unit, m)) {
			return
		}
	}
}

// failTaken fails a message that the caller has dequeued as the unit's owner. It reports whether
// the caller still owns the unit.
func (w *worker) failTaken(u *unit, m *message) bool {
	switch u.take(w, m) {
	case ready:
		m.vtable().fail(w, m, ErrClosed)
	case gone:
		return false
	}
	return true
}
