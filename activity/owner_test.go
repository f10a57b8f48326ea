package activity_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/sched"
)

// scope is a place to start activities in that can be canceled, as a scope of package freerun can.
type scope struct {
	activity.Mark
	s        *sched.Scheduler
	ctx      context.Context
	cancel   context.CancelCauseFunc
	canceled atomic.Bool

	mu      sync.Mutex
	watched []*activity.Activity
}

var errScope = errors.New("the scope is canceled")

func newScope(s *sched.Scheduler) *scope {
	sc := &scope{s: s}
	sc.ctx, sc.cancel = context.WithCancelCause(context.Background())
	return sc
}

// Cancel interrupts all activities that wait, once they can see that they are canceled.
func (sc *scope) Cancel() {
	sc.canceled.Store(true)
	sc.cancel(errScope)
	sc.mu.Lock()
	watched := sc.watched
	sc.mu.Unlock()
	for _, a := range watched {
		a.Interrupt()
	}
}

func (sc *scope) StartActivity(a *activity.Activity) error {
	a.Begin(sc, sched.Normal, sc.s, nil)
	return nil
}

func (sc *scope) Start(_, b *activity.Activity) error { return sc.StartActivity(b) }

func (sc *scope) Watch(a *activity.Activity) {
	sc.mu.Lock()
	sc.watched = append(sc.watched, a)
	sc.mu.Unlock()
}

func (sc *scope) Canceled() error {
	if sc.canceled.Load() {
		return errScope
	}
	return nil
}

func (sc *scope) Context() context.Context                                  { return sc.ctx }
func (*scope) Enter(*activity.Activity, *activity.Stack, *sched.Processor)  {}
func (*scope) Prepare(*activity.Stack, *sched.Processor)                    {}
func (*scope) Leave(*activity.Activity, *activity.Stack, *sched.Processor)  {}
func (*scope) Pass(_, _ *activity.Stack, _ *sched.Processor) bool           { return true }
func (*scope) Depart(*activity.Activity, *activity.Stack, *sched.Processor) {}
func (*scope) Closed() error                                                { return activity.ErrClosed }
func (*scope) Closing() bool                                                { return false }
func (*scope) AfterFunc(d time.Duration, f func()) func() bool              { return time.AfterFunc(d, f).Stop }

func (*scope) AfterDone(ctx context.Context, f func()) func() bool {
	return context.AfterFunc(ctx, f)
}
func (*scope) Drive(context.Context, func() bool) (bool, error) { return false, nil }

func (*scope) End(_ *activity.Activity, _ *sched.Processor, failure any, _ []byte, refused error) error {
	if failure != nil {
		return fmt.Errorf("panicked: %v", failure)
	}
	return refused
}

// TestScopeCanceled cancels a scope while its activities wait for each kind of thing, beside an
// activity of another scope. The canceled activities come back with the scope's error, and the
// other one gets what it waits for.
func TestScopeCanceled(t *testing.T) {
	type place struct {
		wait  func(ctx context.Context) error
		waits func() int
		end   func() // ends the wait of the activity that is not canceled
	}
	var mutex activity.Mutex
	var fair activity.FairMutex
	var rw activity.RWMutex
	semaphore := activity.NewSemaphore(2)
	full, empty := activity.NewMailbox[int](1), activity.NewMailbox[int](1)
	var e activity.Event
	latch, barrier := activity.NewLatch(1), activity.NewBarrier(9)
	var m activity.Monitor
	open := false
	var condMutex activity.Mutex
	cond := activity.NewCond(&condMutex)
	ctx := t.Context()
	mutex.Lock(ctx)
	fair.Lock(ctx)
	rw.Lock(ctx)
	semaphore.Acquire(ctx, 1)
	full.Send(ctx, 0)
	locked := func(lock func(context.Context) error, unlock func()) func(context.Context) error {
		return func(ctx context.Context) error {
			err := lock(ctx)
			if err == nil {
				unlock()
			}
			return err
		}
	}
	in := func(of any) func() int { return func() int { return activity.Waits(of) } }
	inBroadcast := func(of any) func() int { return func() int { return activity.InBroadcast(of) } }
	for name, p := range map[string]place{
		"Mutex":         {locked(mutex.Lock, mutex.Unlock), in(&mutex), mutex.Unlock},
		"FairMutex":     {locked(fair.Lock, fair.Unlock), in(&fair), fair.Unlock},
		"RWMutex":       {locked(rw.RLock, rw.RUnlock), in(&rw), rw.Unlock},
		"Semaphore":     {func(ctx context.Context) error { return semaphore.Acquire(ctx, 2) }, in(semaphore), func() { semaphore.Release(1) }},
		"Mailbox, full": {func(ctx context.Context) error { return full.Send(ctx, 1) }, in(full.Room()), func() { full.Receive(ctx) }},
		"Mailbox, empty": {
			func(ctx context.Context) error { _, err := empty.Receive(ctx); return err },
			in(empty.Items()), func() { empty.Send(ctx, 1) },
		},
		"Event": {e.Wait, inBroadcast(&e), e.Set},
		"Latch": {latch.Wait, inBroadcast(latch), latch.CountDown},
		"Barrier": {
			func(ctx context.Context) error { _, err := barrier.Arrive(ctx); return err },
			inBroadcast(barrier),
			func() {
				for range 7 {
					go barrier.Arrive(context.Background())
				}
				barrier.Arrive(ctx)
			},
		},
		"Monitor": {
			func(ctx context.Context) error {
				return m.Do(ctx, func() error { return m.Await(ctx, func() bool { return open }) })
			},
			m.Awaiting, func() { m.Do(ctx, func() error { open = true; return nil }) },
		},
		"Cond": {
			func(ctx context.Context) error {
				if err := condMutex.Lock(ctx); err != nil {
					return err
				}
				defer condMutex.Unlock()
				return cond.Wait(ctx)
			},
			in(cond), cond.Signal,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := started(t, 2)
			sc := newScope(s)
			var canceled []*activity.Activity
			for i := range 5 {
				canceled = append(canceled, activity.Go(sc, func(a *activity.Activity) {
					if err := p.wait(a); !errors.Is(err, errScope) {
						t.Errorf("came back with %v", err)
					}
					if err := p.wait(a); !errors.Is(err, errScope) {
						t.Errorf("and again with %v", err)
					}
				}))
				until(t, func() bool { return p.waits() == i+1 })
			}
			other := activity.Go(newScope(s), func(a *activity.Activity) {
				if err := p.wait(a); err != nil {
					t.Errorf("the other one: %v", err)
				}
			})
			until(t, func() bool { return p.waits() == 6 })
			sc.Cancel()
			for _, a := range canceled {
				if err := a.Wait(within(t)); err != nil {
					t.Error(err)
				}
			}
			p.end()
			if err := other.Wait(within(t)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestScopeCanceledAtAnyTime cancels scopes whose activities use everything at once, at random
// moments, beside goroutines that go on: nothing is lost, and all is free in the end.
func TestScopeCanceledAtAnyTime(t *testing.T) {
	onProcessors(t, func(t *testing.T, processors int) {
		for range 20 {
			var mutex activity.Mutex
			var rw activity.RWMutex
			semaphore := activity.NewSemaphore(2)
			var m activity.Monitor
			mail := activity.NewMailbox[int](2)
			var sent, received atomic.Int64
			turns := 0
			s := sched.New(sched.Config{Processors: processors})
			s.Start()
			sc := newScope(s)
			use := func(ctx context.Context) {
				if mutex.Lock(ctx) == nil {
					pause(ctx)
					mutex.Unlock()
				}
				if rw.RLock(ctx) == nil {
					pause(ctx)
					rw.RUnlock()
				}
				if rw.Lock(ctx) == nil {
					rw.Unlock()
				}
				if semaphore.Acquire(ctx, 2) == nil {
					pause(ctx)
					semaphore.Release(2)
				}
				m.Do(ctx, func() error {
					turns++
					due := turns | 1
					return m.Await(ctx, func() bool { return turns >= due })
				})
				m.Do(ctx, func() error { turns++; return nil })
				if mail.Send(ctx, 1) == nil {
					sent.Add(1)
				}
				if _, err := mail.Receive(ctx); err == nil {
					received.Add(1)
				}
			}
			var all []*activity.Activity
			for range 6 {
				all = append(all, activity.Go(sc, func(a *activity.Activity) {
					for sc.Canceled() == nil {
						use(a)
					}
				}))
			}
			var stop atomic.Bool
			var goroutines sync.WaitGroup
			for range 2 {
				goroutines.Go(func() {
					for !stop.Load() {
						ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
						use(ctx)
						cancel()
					}
				})
			}
			time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
			sc.Cancel()
			for _, a := range all {
				if err := a.Wait(within(t)); err != nil && !errors.Is(err, errScope) { // not begun
					t.Error(err)
				}
			}
			stop.Store(true)
			goroutines.Wait()
			// A finalizer that has woken an activity may still be at work on a lock when that
			// activity has ended elsewhere.
			until(t, func() bool { return activity.Unused(&mutex) })
			until(t, func() bool { return activity.Unused(&rw) })
			until(t, func() bool { return activity.Unused(semaphore) })
			until(t, m.TryEnter)
			if left := sent.Load() - received.Load(); left != int64(mail.Len()) {
				t.Errorf("%d messages are left, want %d", mail.Len(), left)
			}
			s.Stop(nil)
		}
	})
}

// fullHouse is a place that accepts no activities.
type fullHouse struct{ *scope }

func (*fullHouse) StartActivity(*activity.Activity) error { return errScope }

// TestGoRefused: the activity of a Go that is refused has ended, and Wait returns why.
func TestGoRefused(t *testing.T) {
	a := activity.Go(&fullHouse{}, func(*activity.Activity) { t.Error("a refused activity ran") })
	if !a.Ended() {
		t.Error("a refused activity has not ended")
	}
	if err := a.Wait(within(t)); err != errScope {
		t.Errorf("Wait of a refused activity returned %v, want %v", err, errScope)
	}
}

// drivenHouse is a place whose activities run while an ordinary goroutine waits, as in a
// deterministic runtime.
type drivenHouse struct {
	*scope
	drives int
	err    error // why a drive ends early
}

func (d *drivenHouse) StartActivity(a *activity.Activity) error {
	a.Begin(d, sched.Normal, d.s, nil)
	return nil
}

func (d *drivenHouse) Drive(ctx context.Context, until func() bool) (bool, error) {
	if d.drives++; d.err != nil {
		return true, d.err
	}
	if d.drives == 1 {
		d.s.Start()
	}
	for !until() && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	return true, ctx.Err()
}

// TestWaitDrives: an ordinary goroutine that waits for an activity drives the place; an activity
// that waits does not.
func TestWaitDrives(t *testing.T) {
	s := sched.New(sched.Config{Processors: 1})
	d := &drivenHouse{scope: newScope(s)}
	var inner error
	a := activity.Go(d, func(a *activity.Activity) {
		inner = activity.Go(a, func(*activity.Activity) {}).Wait(a)
	})
	stalled := errors.New("nothing can run any more")
	d.err = stalled
	if err := a.Wait(within(t)); err != stalled || d.drives != 1 {
		t.Errorf("Wait returned %v after %d drives, want what one drive returned", err, d.drives)
	}
	d.err, d.drives = nil, 0
	if err := a.Wait(within(t)); err != nil || inner != nil || d.drives != 1 {
		t.Errorf("Wait returned %v, inside %v, after %d drives; want one drive", err, inner, d.drives)
	}
	s.Stop(time.After(time.Minute))
}
