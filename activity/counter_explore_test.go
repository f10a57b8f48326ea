//go:build explore

package activity

import (
	"context"
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/internal/verify/memory"
)

// TestExploreSemaphore has three threads want one, two, and two of two units, one of which may
// give up: never are more held than there are, and all are free in the end.
func TestExploreSemaphore(t *testing.T) {
	body := func(r *explore.Run) {
		s := NewSemaphore(2)
		var held atomics.Int32
		var ctx memory.Context
		for i, n := range []int{1, 2, 2} {
			r.Go("wants", func() {
				var wait context.Context = &ctx
				if i != 1 {
					wait = context.Background()
				}
				if s.Acquire(wait, n) == nil {
					if now := held.Add(int32(n)); now > 2 {
						r.Failf("%d are held", now)
					}
					held.Add(-int32(n))
					s.Release(n)
				}
			})
		}
		r.Go("ender", ctx.Cancel)
		r.After(func() {
			if s.q.state.Load() != (whole-2)*one {
				r.Failf("state %#x in the end", s.q.state.Load())
			}
		})
	}
	explore.Exhaustive(t, 1, body)
	explore.Random(t, 20_000, body)
}

// TestExploreRWMutex has readers and a writer, one of which may give up.
func TestExploreRWMutex(t *testing.T) {
	body := func(r *explore.Run) {
		var m RWMutex
		var ctx memory.Context
		var data atomics.Plain[int]
		r.Go("reader", func() {
			if m.RLock(context.Background()) == nil {
				data.Get()
				m.RUnlock()
			}
		})
		r.Go("writer", func() {
			if m.Lock(&ctx) == nil {
				data.Set(1)
				m.Unlock()
			}
		})
		r.Go("both", func() {
			if m.Lock(context.Background()) == nil {
				data.Set(2)
				m.Unlock()
			}
			if m.RLock(context.Background()) == nil {
				data.Get()
				m.RUnlock()
			}
		})
		r.Go("ender", ctx.Cancel)
		r.After(func() {
			if m.q.state.Load() != 0 {
				r.Failf("state %#x in the end", m.q.state.Load())
			}
		})
	}
	explore.Exhaustive(t, 1, body)
	explore.Random(t, 20_000, body)
}

// TestExploreCounterInOrder holds that a caller that comes after a waiter is admitted after it.
func TestExploreCounterInOrder(t *testing.T) {
	explore.Exhaustive(t, 2, func(r *explore.Run) {
		var m FairMutex
		var count atomics.Plain[int]
		turn := func() {
			count.Set(count.Get() + 1)
			m.Unlock()
		}
		stands := func() bool { return m.q.state.Load()&waiters != 0 }
		m.TryLock()
		var waited atomics.Bool
		r.Go("holder", func() {
			for b := (backoff.Backoff{}); !stands(); b.Wait() {
			}
			waited.Store(true)
			turn()
		})
		r.Go("first", func() {
			if m.Lock(context.Background()) == nil {
				turn()
			}
		})
		r.Go("second", func() {
			for b := (backoff.Backoff{}); !waited.Load(); b.Wait() {
			}
			if m.Lock(context.Background()) == nil {
				if count.Get() < 2 {
					r.Failf("the second came in ahead of the first")
				}
				turn()
			}
		})
	})
}

// hasty is a counter that notes what was granted only after it has woken the waiter.
type hasty struct{ counter }

func (q *hasty) enter(w *Waiter) {
	l := q.queue.get()
	l.join(w)
	l.serve(q)
}

func (q *hasty) admit(l *waitQueue) {
	for {
		w := l.head()
		s := q.state.Load()
		switch {
		case w == nil:
			q.state.And(^waiters)
			return
		case s&waiters == 0:
			q.state.Or(waiters)
		case used(s)+w.Tag > whole:
			return
		default:
			n := w.Tag
			l.pop()
			if w.Grant() {
				q.state.Add(n * one)
			}
		}
	}
}

// TestExploreCounterCountsTooLate is a control: if a grant is counted only after its waiter goes
// on, the waiter may find less held than it was given.
func TestExploreCounterCountsTooLate(t *testing.T) {
	explore.MustFail(t, 2, func(r *explore.Run) {
		var q hasty
		for _, name := range []string{"a", "b"} {
			r.Go(name, func() {
				if !q.tryTake(whole) {
					if q.queue.get().wait(context.Background(), whole, &q) != nil {
						return
					}
				}
				for {
					s := q.state.Load()
					if used(s) != whole {
						r.Failf("%d are held", used(s))
					}
					if q.state.CompareAndSwap(s, s-heldWhole) {
						if s&waiters != 0 {
							q.queue.get().serve(&q)
						}
						return
					}
				}
			})
		}
	})
}
