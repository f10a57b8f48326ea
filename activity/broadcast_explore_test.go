//go:build explore

package activity

import (
	"context"
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/park"
	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/internal/verify/memory"
)

// openedWaiter returns a waiter that can be granted, and that does not sleep.
func openedWaiter() *Waiter {
	w := &Waiter{parker: park.New()}
	w.open()
	return w
}

// TestExploreBroadcast has waiters give up and clear, while the broadcast is opened: the others are
// woken.
func TestExploreBroadcast(t *testing.T) {
	body := func(r *explore.Run) {
		var c broadcast
		var ctx memory.Context
		r.Go("patient", func() {
			if err := c.wait(context.Background()); err != nil {
				r.Failf("%v", err)
			}
		})
		r.Go("impatient", func() {
			for range 2 {
				_ = c.wait(&ctx)
			}
		})
		r.Go("ender", ctx.Cancel)
		r.Go("opener", c.open)
	}
	explore.Exhaustive(t, 2, body)
	explore.Random(t, 20_000, body)
}

// TestExploreBroadcastClearedCarelessly is a control: if clear cannot put waiters back because the
// broadcast has been opened meanwhile, and does not wake them, they wait for ever.
func TestExploreBroadcastClearedCarelessly(t *testing.T) {
	explore.MustFail(t, 2, func(r *explore.Run) {
		var c broadcast
		r.Go("patient", func() { _ = c.wait(context.Background()) })
		r.Go("clearer", func() {
			if n := c.newest.Load(); n != nil && n != &opened && c.newest.CompareAndSwap(n, nil) {
				c.newest.CompareAndSwap(nil, n)
			}
		})
		r.Go("opener", c.open)
	})
}

// TestExploreBroadcastFrozen stops one thread for good anywhere: no thread is held up that need not
// wait for it.
func TestExploreBroadcastFrozen(t *testing.T) {
	explore.Freeze(t, func(r *explore.Run) {
		var c broadcast
		for _, name := range []string{"a", "b"} {
			r.Go(name, func() {
				c.enter(openedWaiter())
			})
		}
		r.Go("clearer", c.clear)
		r.Go("opener", c.open)
	})
}

// TestExploreEvent sets and resets an event at once: a waiter that came before is woken, and so is
// one that has seen it set.
func TestExploreEvent(t *testing.T) {
	body := func(r *explore.Run) {
		var e Event
		before := openedWaiter()
		e.broadcast().enter(before)
		var ctx memory.Context
		r.Go("setter", func() {
			e.Set()
			e.Reset()
		})
		r.Go("resetter", e.Reset)
		r.Go("waiter", func() { _ = e.Wait(&ctx) })
		r.Go("ender", ctx.Cancel)
		r.After(func() {
			if before.word.Load()&stateBits != granted {
				r.Failf("the waiter that came before was not woken")
			}
			if e.IsSet() {
				r.Failf("it is set in the end")
			}
		})
	}
	explore.Exhaustive(t, 2, body)
	explore.Random(t, 20_000, body)
}

// TestExploreBarrier has two threads pass twice, of which one gives up now and then, and comes
// again: both pass as often, and there is one last arrival each time.
func TestExploreBarrier(t *testing.T) {
	body := func(r *explore.Run) {
		b := NewBarrier(2)
		var ctx memory.Context
		var passed [2]atomics.Int32
		var lasts atomics.Int32
		pass := func(id int, ctx context.Context) bool {
			last, err := b.Arrive(ctx)
			if last {
				lasts.Add(1)
			}
			if err == nil {
				passed[id].Add(1)
			}
			return err == nil
		}
		r.Go("patient", func() {
			for range 2 {
				pass(0, context.Background())
			}
		})
		r.Go("impatient", func() {
			for range 2 {
				if !pass(1, &ctx) {
					pass(1, context.Background())
				}
			}
		})
		r.Go("ender", ctx.Cancel)
		r.After(func() {
			if passed[0].Load() != 2 || passed[1].Load() != 2 || lasts.Load() != 2 {
				r.Failf("passed %d and %d times, %d were the last", passed[0].Load(), passed[1].Load(), lasts.Load())
			}
		})
	}
	explore.Exhaustive(t, 2, body)
	explore.Random(t, 20_000, body)
}

// TestExploreBarrierTakenBackTooLate is a control: an arrival that is taken back by a plain
// subtraction may be missed in the round that it was counted in.
func TestExploreBarrierTakenBackTooLate(t *testing.T) {
	explore.MustFail(t, 2, func(r *explore.Run) {
		b := NewBarrier(2)
		var ctx memory.Context
		passed, other := false, false
		r.Go("impatient", func() {
			arrived := b.arrive()
			if arrived == nil {
				passed = true
				return
			}
			if passed = arrived.broadcast.wait(&ctx) == nil; !passed {
				arrived.arrived.Add(-1)
			}
		})
		r.Go("other", func() {
			_, err := b.Arrive(&ctx)
			other = err == nil
		})
		r.Go("ender", ctx.Cancel)
		r.After(func() {
			if passed != other {
				r.Failf("one passed: %v, the other: %v", passed, other)
			}
		})
	})
}
