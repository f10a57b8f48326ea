package freerun

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/freerun-go/freerun/internal/sched"
)

// usualGrace is how long the end of a runtime waits for operations that run, before it goes on
// without them, if [Grace] does not say otherwise.
const usualGrace = time.Second

// Grace sets how long [Runtime.Close], and [Runtime.Shutdown] past its deadline, wait for operations
// that run: from the moment at which their contexts are done until the runtime goes on without them,
// and names them in a [*ShutdownError]. Timers that fire at that moment are waited for within the
// same time. The default is a second; 0 is no wait. It is no delay: the end comes as soon as all
// have returned. It panics if d is below 0.
func Grace(d time.Duration) Option {
	if d < 0 {
		panic("freerun: Grace needs a duration that is not below 0")
	}
	return func(s *settings) { s.grace = d }
}

// Draining returns a channel that is closed when [Runtime.Shutdown] or [Runtime.Close] is called
// first: the runtime refuses messages from outside by then. It is for operations that go on as long
// as the program does, and for goroutines that feed the runtime: a Shutdown waits for operations to
// end, up to its deadline, and only then are contexts done.
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
// Any goroutine, operations and activities too; it does not wait or allocate.
func (rt *Runtime) Draining() <-chan struct{} {
	rt.mustBeMade() // a nil channel would never tell
	return rt.draining
}

// Quiesce waits until, at some instant of the call, no message is queued, running, or waiting for a
// future, and then returns nil. It returns ctx's error if ctx is done before, an [ErrWouldBlock]
// inside an operation or an activity, and ErrClosed once the runtime has ended, or its end has
// ended ctx. Messages whose send returned before Quiesce was called are done when it returns nil; others may be on their way.
func (rt *Runtime) Quiesce(ctx context.Context) error {
	mustContext(ctx)
	if err := rt.checked(); err != nil {
		return err
	}
	if rt.phase.Load() == ended {
		return ErrClosed
	}
	err := rt.awaitIdle(ctx)
	switch {
	case errors.Is(err, sched.ErrStopped):
		return ErrClosed
	case errors.Is(err, sched.ErrStalled):
		return rt.stalled(nil)
	case err != nil && ctx.Err() != nil:
		return rt.errorOf(ctx)
	}
	return err
}

// awaitIdle waits until all is done that was sent. In a deterministic runtime it lets time pass for that, as activities may sleep.
func (rt *Runtime) awaitIdle(ctx context.Context) error {
	for {
		err := rt.scheduler.AwaitIdle(ctx, rt.settled)
		if !errors.Is(err, sched.ErrStalled) || !rt.goOn() {
			return err
		}
	}
}

// checked returns why the runtime cannot be waited for here, if so.
func (rt *Runtime) checked() error {
	rt.mustBeMade()
	if sched.Inside() {
		return refusalHere(errInside, errActivityEnds)
	}
	return nil
}

// settled reports whether all messages that were sent have been run or have failed. It is exact while nothing runs: a
// message is counted as sent before it is queued, and sent is read after done.
func (rt *Runtime) settled() bool {
	done := rt.done()
	return done == rt.sent()
}

// abandoned returns how many messages were not run because the runtime was closed.
func (rt *Runtime) abandoned() uint64 {
	n := rt.ingress.abandoned.Load()
	for _, s := range rt.seats() {
		n += s.counters.abandoned.Load()
	}
	return n
}

func (rt *Runtime) sent() uint64 {
	n := rt.ingress.totalSent()
	for _, s := range rt.seats() {
		n += s.counters.sent.Load()
	}
	return n
}

func (rt *Runtime) done() uint64 {
	n := rt.ingress.failed.Load() + rt.ingress.ran.Load()
	for _, s := range rt.seats() {
		n += s.counters.ran.Load() + s.counters.failed.Load()
	}
	return n
}

// Shutdown ends the runtime: it refuses messages from outside with [ErrClosed] from now on, waits
// until all that was sent, and all that follows from it, is done, and returns nil then, with no
// goroutine of the runtime left. What follows is what operations, branches and activities of the
// runtime send, also in and after [Context.Block]; what goroutines send that they have started is
// from outside. If ctx is done before, what was not started fails with ErrClosed,
// contexts are cancelled, and operations that are running get one more second, or what [Grace]
// says; they may learn of the shutdown before, by [Runtime.Draining]. Then the error is a
// [*ShutdownError], which counts what was abandoned, names those operations that did not return
// even then, and wraps ctx's error; nil if there is neither. Calls after the first wait for the
// same end, and may bring it forward. Inside an operation or an activity it does nothing, and
// returns an [ErrWouldBlock].
func (rt *Runtime) Shutdown(ctx context.Context) error {
	mustContext(ctx)
	if err := rt.checked(); err != nil {
		return err
	}
	rt.advance(drains)
	rt.endTimers()
	rt.ingress.rendezvous()
	err := rt.awaitIdle(ctx)
	switch {
	case errors.Is(err, sched.ErrStopped): // by a Close or another Shutdown: end waits for it
		err = nil
	case errors.Is(err, sched.ErrStalled):
		err = rt.stalled(nil)
	}
	return rt.end(err)
}

// Close is a Shutdown whose time is over: what was not started fails with [ErrClosed]. It returns
// nil if all that was sent had been done, otherwise a [*ShutdownError], which is logged too. It
// waits for operations that run, a second, or what [Grace] says. Close may be called again, and
// after or during Shutdown. Inside an operation or an activity it does nothing, and returns an
// [ErrWouldBlock].
func (rt *Runtime) Close() error {
	if err := rt.checked(); err != nil {
		return err
	}
	return rt.end(nil)
}

// end ends the runtime, once; whoever comes later waits and gets the same answer.
func (rt *Runtime) end(cause error) error {
	rt.advance(aborting) // before once: this may be what the first caller waits for
	rt.ending.Do(func() {
		rt.cancel(ErrClosed)
		rt.endTimers()
		activities.InterruptAll(rt.scheduler)
		over := make(chan time.Time)
		defer time.AfterFunc(rt.grace, func() { close(over) }).Stop()
		rt.awaitFiring(over)
		stuck := rt.scheduler.Stop(over)
		rt.advance(ended)
		rt.audiences.abandonAll()
		rt.endErr = rt.account(stuck, cause)
		close(rt.finished)
	})
	return rt.endErr
}

// account tells what was left at the end; nil if nothing was.
func (rt *Runtime) account(stuck []sched.Stuck, cause error) error {
	e := &ShutdownError{Cause: cause}
	for _, s := range stuck {
		if name := contextOf(s.Host, s.Processor).operation(); name != "" {
			e.Running = append(e.Running, name)
		}
	}
	rt.ingress.rendezvous() // who was refused after being counted has taken the count back
	e.Abandoned = rt.leftBehind(len(e.Running))
	for range mostLooks {
		if e.Abandoned == 0 || len(e.Running) > 0 || e.Abandoned == rt.abandoned() {
			break
		}
		time.Sleep(time.Millisecond) // a sender without a stripe may be about to take its count back
		e.Abandoned = rt.leftBehind(0)
	}
	if e.Abandoned == 0 && len(e.Running) == 0 {
		return nil
	}
	rt.log(slog.LevelWarn, "work was left at the end", "error", e)
	return e
}

// mostLooks is how often account looks again, a millisecond apart, when its figures do not agree.
const mostLooks = 20

// leftBehind returns how many messages were sent, and not run, while so many operations have not returned.
func (rt *Runtime) leftBehind(running int) uint64 {
	for {
		failed := rt.abandoned()
		done := rt.done() + uint64(running)
		left := int64(failed) + int64(rt.sent()-done)
		if failed == rt.abandoned() { // both figures are of one moment
			return uint64(max(0, left)) // below 0 if an operation has just returned
		}
	}
}

// operation names what runs with c now; empty between operations, and if c is nil. Any goroutine.
func (c *Context) operation() string {
	if c == nil || c.inside.Load() == 0 {
		return ""
	}
	return c.lastOperation()
}

// lastOperation names the operation that runs with c, or ran last.
func (c *Context) lastOperation() string {
	k, title := c.kind.Load(), c.title.Load()
	switch {
	case title != nil:
		return *title
	case k == nil: // c was never used before, and its first operation begins in this moment
		return ""
	case k.name == "":
		return functionName(c.function.Load())
	}
	return k.name
}

// advance makes the phase at least to.
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
