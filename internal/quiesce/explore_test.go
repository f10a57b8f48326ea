//go:build explore

package quiesce

import (
	"slices"
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// counterProgram runs a message that sends a second message, which another processor runs, while a
// goroutine waits for the account above theirs. flaw makes the sender count the second message too
// late.
func counterProgram(flaw bool) func(*explore.Run) {
	return func(r *explore.Run) {
		up, below := &Account{}, &Account{}
		var pool Pool
		above := &up.Open
		below.Below(up)
		var handed, done atomics.Int32
		below.Open.Add(1) // the first message was sent from outside
		r.Go("first", func() {
			var c Credit
			if flaw {
				handed.Store(1)
				c.Put(below)
				c.Take(below)
				return
			}
			c.Turn(below)
			c.Take(below)
			handed.Store(1)
			c.Put(below)
			c.settle()
		})
		r.Go("second", func() {
			var c Credit
			if handed.Load() == 0 {
				return // the second message is never run, and stays open
			}
			c.Turn(below)
			done.Store(1)
			c.Put(below)
			c.Turn(nil)
		})
		r.Go("waiter", func() {
			zero := above.NextZero(&pool)
			if zero != nil {
				woken := len(zero.token) > 0
				zero.Leave()
				if !woken {
					return // no message has ended yet
				}
			}
			if above.open.Load() == 0 && done.Load() == 0 {
				r.Failf("zero, and the second message is open")
			}
		})
		r.After(func() {
			open := int64(1)
			if done.Load() == 1 {
				open = 0
			}
			if below.Open.open.Load() != open || above.open.Load() != open {
				r.Failf("%d open below, %d above, want %d", below.Open.open.Load(), above.open.Load(), open)
			}
			if waiting := above.zero.Load(); open == 0 && waiting != nil && above.open.Load() != 0 {
				r.Failf("a goroutine waits for ever")
			}
		})
	}
}

func TestExploreCounter(t *testing.T) {
	explore.Exhaustive(t, 3, counterProgram(false))
	explore.Freeze(t, counterProgram(false))
}

// TestExploreCounterWakes: each waiter finds the counter at zero, or finds the token.
func TestExploreCounterWakes(t *testing.T) {
	explore.Exhaustive(t, explore.Unbounded, func(r *explore.Run) {
		var all Counter
		var pool Pool
		all.Add(2)
		together := make([]*Waiters, 2)
		for i, name := range []string{"waiter", "another"} {
			r.Go(name, func() { together[i] = all.NextZero(&pool) })
		}
		for _, name := range []string{"one", "two"} {
			r.Go(name, func() { all.Remove(1) })
		}
		r.After(func() {
			for i, k := range together {
				if k != nil && len(k.token) == 0 {
					r.Failf("waiter %d sleeps for ever", i)
				}
			}
		})
	})
}

// TestExploreCounterControl: the exploration finds a sender that counts a message only after others
// can see it.
func TestExploreCounterControl(t *testing.T) { explore.MustFail(t, 3, counterProgram(true)) }

// waitersProgram has a waiter of a counter that becomes zero twice. Meanwhile the Waiters that it
// finds may go to the waiter of another counter, which never becomes zero. flaw makes the waiter
// skip the second look of K2.
func waitersProgram(flaw bool) func(*explore.Run) {
	return func(r *explore.Run) {
		var pool Pool
		var ends, stays Counter
		ends.Add(1)
		stays.Add(1)
		ends.NextZero(&pool).Leave() // the waiter leaves at once; the word keeps the Waiters
		var one, other *Waiters
		r.Go("waiter", func() {
			if k := ends.zero.Load(); flaw && k != nil && k.hold() {
				if one = k; ends.open.Load() != 0 {
					return
				}
				one = nil
				k.Leave()
			}
			one = ends.NextZero(&pool)
		})
		r.Go("other waiter", func() { other = stays.NextZero(&pool) })
		r.Go("sender", func() {
			ends.Remove(1)
			ends.Add(1)
			ends.Remove(1)
		})
		r.After(func() {
			if one != nil {
				if len(one.token) == 0 {
					r.Failf("the waiter sleeps for ever")
				}
				one.Leave()
			}
			if other == nil || len(other.token) != 0 || other.holds.Load() != 2 || stays.zero.Load() != other {
				r.Failf("the other waiter is not alone: %v", other)
			}
			for i, k := range pool.free {
				if k.holds.Load() != 0 || len(k.token) != 0 || k == other || slices.Contains(pool.free[:i], k) {
					r.Failf("Waiters are in the pool that must not be")
				}
			}
		})
	}
}

func TestExploreWaiters(t *testing.T) {
	explore.Exhaustive(t, 3, waitersProgram(false))
	explore.Freeze(t, waitersProgram(false))
}

// TestExploreWaitersControl: the exploration finds a waiter that joins Waiters which have gone to
// another counter.
func TestExploreWaitersControl(t *testing.T) { explore.MustFail(t, 3, waitersProgram(true)) }

// returnsProgram has two waiters that find the word empty and both bring Waiters. leave ends the
// wait of one.
func returnsProgram(leave func(*Waiters)) func(*explore.Run) {
	return func(r *explore.Run) {
		var pool Pool
		var all Counter
		all.Add(1)
		for _, name := range []string{"waiter", "another"} {
			r.Go(name, func() {
				if w := all.NextZero(&pool); w != nil {
					leave(w)
				}
			})
		}
		r.After(func() {
			all.Remove(1)
			if len(pool.free) != pool.made {
				r.Failf("of %d Waiters, %d are in the pool when no goroutine waits", pool.made, len(pool.free))
			}
		})
	}
}

// TestExploreWaitersReturn: the Waiters of all waits come back to the pool, also those that lost
// the race for the word.
func TestExploreWaitersReturn(t *testing.T) {
	explore.Exhaustive(t, explore.Unbounded, returnsProgram((*Waiters).Leave))
}

// TestExploreWaitersReturnControl: the exploration finds a waiter that keeps its hold.
func TestExploreWaitersReturnControl(t *testing.T) {
	explore.MustFail(t, 2, returnsProgram(func(*Waiters) {}))
}
