package sched

import (
	"context"
	"time"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// idleNotice tells the goroutines that wait for the scheduler to be idle, by closing a channel that all of them share: so those
// who gave up waiting leave nothing behind.
type idleNotice struct {
	next atomics.Pointer[chan struct{}]
}

// await returns a channel that is closed when next the last processor parks. Any goroutine.
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

// tell closes the channel given out so far. Any goroutine.
func (n *idleNotice) tell() {
	if n.next.Load() == nil {
		return
	}
	if c := n.next.Swap(nil); c != nil {
		close(*c)
	}
}

// isIdle reports whether, at some instant of the call, no task was queued, running or away.
func (s *Scheduler) isIdle() bool {
	// In this order: a task that hasWork missed because it was taken is in the census until it has returned, and so is the one that queued it
	// until the task was, or until a processor was woken for it.
	return !s.hasWork() && s.census.idle()
}

// wentIdle is called when the last processor has parked and no task is away, or the last of those has returned.
func (s *Scheduler) wentIdle() {
	s.idle.tell()
	if s.stopping.Load() {
		s.finish()
	}
}

// AwaitIdle returns when, at some instant of the call, no task was queued or running, with or without a processor, and settled, which is asked then,
// returned true. It returns ctx's error when ctx is done before, and ErrStopped when the scheduler is stopped before. That of a deterministic
// scheduler drives it, and returns [ErrStalled] rather than wait. Any
// goroutine but a processor's.
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
			// Somebody is between counting a task and queueing it, or a task waits for another scheduler: no event of
			// ours will tell when that is over.
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
