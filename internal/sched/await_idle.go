package sched

import (
	"context"
	"time"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// idleNotice tells the goroutines that wait for the scheduler to be idle, by closing a channel
// that they share. So a waiter that gives up leaves nothing behind.
type idleNotice struct {
	next atomics.Pointer[chan struct{}]
}

// await returns a channel that is closed when the last processor parks next. Any goroutine.
func (n *idleNotice) await() <-chan struct{} {
	var fresh chan struct{}
	for {
		if c := n.next.Load(); c != nil {
			return *c
		}
		if fresh == nil {
			fresh = make(chan struct{})
		}
		if n.next.CompareAndSwap(nil, &fresh) {
			return fresh
		}
	}
}

// tell closes the present channel, which the waiters share, if there is one. Any goroutine.
func (n *idleNotice) tell() {
	if n.next.Load() == nil {
		return
	}
	if c := n.next.Swap(nil); c != nil {
		close(*c)
	}
}

// isIdle reports whether no task was queued, running or away at some instant of the call.
func (s *Scheduler) isIdle() bool {
	// The order matters. hasWork misses a task that was just taken: the census counts that task, as
	// running or as away, until it has returned. hasWork misses a task that is not queued yet: the
	// census counts the task that queues it, until it is queued or a processor is woken for it.
	return !s.hasWork() && s.census.idle()
}

// wentIdle is called when the last processor has parked and no task is away, or when the last away
// task has returned.
func (s *Scheduler) wentIdle() {
	s.idle.tell()
	if s.stopping.Load() {
		s.finish()
	}
}

// AwaitIdle waits until no task is queued or running, with or without a processor. At such a moment
// it calls settled, and goes on waiting if that returns false. It returns ctx's error if ctx is
// done first, and ErrStopped if the scheduler is stopped first. On a deterministic scheduler it
// drives the scheduler, and returns [ErrStalled] where it would have to wait. Any goroutine but a
// processor's.
func (s *Scheduler) AwaitIdle(ctx context.Context, settled func() bool) error {
	if s.driver != nil {
		return s.driveIdle(ctx, settled)
	}
	const firstDoubt, longestDoubt = 50 * time.Microsecond, 10 * time.Millisecond
	notice := s.idle.await()
	for pause := firstDoubt; ; {
		var again <-chan time.Time
		if s.isIdle() {
			if settled() {
				return nil
			}
			// A goroutine is between counting a task and queueing it, or a task waits for another
			// scheduler: no event of this scheduler tells when that is over.
			again = time.After(pause)
			pause = min(2*pause, longestDoubt)
		}
		select {
		case <-notice:
			notice = s.idle.await()
		case <-again:
		case <-ctx.Done():
			return ctx.Err()
		case <-s.halt:
			return ErrStopped
		}
	}
}
