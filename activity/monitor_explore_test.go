//go:build explore

package activity

import (
	"context"
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/internal/verify/memory"
)

// TestExploreMonitor has two threads await what a third brings about, one of which may give up:
// the other is handed the monitor, and each is alone inside.
func TestExploreMonitor(t *testing.T) {
	body := func(r *explore.Run) {
		var m Monitor
		var ctx memory.Context
		var items atomics.Plain[int]
		take := func(ctx context.Context) error {
			return m.Do(context.Background(), func() error {
				err := m.Await(ctx, func() bool { return items.Get() > 0 })
				if err == nil {
					items.Set(items.Get() - 1)
				}
				return err
			})
		}
		impatient := false
		r.Go("patient", func() {
			if err := take(context.Background()); err != nil {
				r.Failf("%v", err)
			}
		})
		r.Go("impatient", func() { impatient = take(&ctx) == nil })
		r.Go("ender", ctx.Cancel)
		r.Go("bringer", func() {
			for range 2 {
				_ = m.Do(context.Background(), func() error {
					items.Set(items.Get() + 1)
					return nil
				})
			}
		})
		r.After(func() {
			if left := items.Get(); (left == 0) != impatient {
				r.Failf("%d left; the impatient one took one: %v", left, impatient)
			}
			if m.q.state.Load() != 0 || len(m.awaiting) > 1 {
				r.Failf("state %#x, %d await", m.q.state.Load(), len(m.awaiting))
			}
		})
	}
	explore.Exhaustive(t, 1, body)
	explore.Random(t, 20_000, body)
}

// TestExploreMonitorPassedTwice is a control: if a thread that gives up passes the monitor on while
// its finalizer does, too, two threads may be inside.
func TestExploreMonitorPassedTwice(t *testing.T) {
	explore.MustFail(t, 2, func(r *explore.Run) {
		var m Monitor
		var ctx memory.Context
		r.Go("awaits", func() {
			_ = m.Enter(context.Background())
			w := monitorWait{m: &m, condition: func() bool { return false }}
			if waitIn(&ctx, 0, &w) != nil {
				m.pass()
				_ = m.Enter(context.Background())
			}
			m.Leave()
		})
		r.Go("ender", ctx.Cancel)
		var inside atomics.Plain[int]
		r.Go("other", func() {
			_ = m.Enter(context.Background())
			inside.Set(1)
			m.Leave()
		})
		r.Go("third", func() {
			_ = m.Enter(context.Background())
			inside.Set(2)
			m.Leave()
		})
	})
}

// TestExploreCond has two threads wait for what a third brings about and signals, one of which may
// give up: the signal is not lost, and each has the lock afterwards.
func TestExploreCond(t *testing.T) {
	for name, signal := range map[string]func(c *Cond){
		"Signal":    func(c *Cond) { c.Signal(); c.Signal() },
		"Broadcast": (*Cond).Broadcast,
	} {
		body := func(r *explore.Run) {
			var m FairMutex
			c := NewCond(&m)
			var ctx memory.Context
			var items atomics.Plain[int]
			take := func(ctx context.Context) (err error) {
				_ = m.Lock(context.Background())
				defer m.Unlock()
				for items.Get() == 0 && err == nil {
					err = c.Wait(ctx)
				}
				if err == nil {
					items.Set(items.Get() - 1)
				}
				return err
			}
			impatient := false
			r.Go("patient", func() {
				if err := take(context.Background()); err != nil {
					r.Failf("%v", err)
				}
			})
			r.Go("impatient", func() { impatient = take(&ctx) == nil })
			r.Go("ender", ctx.Cancel)
			r.Go("bringer", func() {
				_ = m.Lock(context.Background())
				items.Set(2)
				m.Unlock()
				signal(c)
			})
			r.After(func() {
				if left := items.Get(); (left == 0) != impatient || m.q.state.Load() != 0 {
					r.Failf("%d left; the impatient one took one: %v; state %#x", left, impatient, m.q.state.Load())
				}
			})
		}
		t.Run(name, func(t *testing.T) {
			explore.Exhaustive(t, 1, body)
			explore.Random(t, 20_000, body)
		})
	}
}

// early is a wait point of the Cond that unlocks before it enters.
type early struct{ *condWait }

func (e early) enter(w *Waiter) {
	e.unlock()
	e.c.enter(w)
}

// TestExploreCondUnlocksTooEarly is a control: a waiter that is not in the queue yet when the lock
// is unlocked misses the signal.
func TestExploreCondUnlocksTooEarly(t *testing.T) {
	explore.MustFail(t, 2, func(r *explore.Run) {
		var m FairMutex
		c := NewCond(&m)
		ready := false
		r.Go("waiter", func() {
			_ = m.Lock(context.Background())
			for !ready {
				_ = c.queue.wait(context.Background(), 0, early{&condWait{c: c}})
				_ = m.Lock(context.Background())
			}
			m.Unlock()
		})
		r.Go("bringer", func() {
			_ = m.Lock(context.Background())
			ready = true
			m.Unlock()
			c.Signal()
		})
	})
}
