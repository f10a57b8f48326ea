//go:build explore

package freerun

import (
	"slices"
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// tallyProgram is a message that sends another one, which another seat runs, while somebody waits for the scope above theirs. flaw makes
// the sender count too late.
func tallyProgram(flaw bool) func(*explore.Run) {
	return func(r *explore.Run) {
		up, below := &accounts{}, &accounts{}
		var pool crowdPool
		above := &up.open
		below.open.above, below.running.above = above, &up.running
		var handed, done atomics.Int32
		below.open.add(1) // the first message was sent from outside
		r.Go("first", func() {
			var s stock
			if flaw {
				handed.Store(1)
				s.put(below)
				s.take(below)
				return
			}
			s.turn(below)
			s.take(below)
			handed.Store(1)
			s.put(below)
			s.settle()
		})
		r.Go("second", func() {
			var s stock
			if handed.Load() == 0 {
				return // never run: it stays open
			}
			s.turn(below)
			done.Store(1)
			s.put(below)
			s.turn(nil)
		})
		r.Go("waiter", func() {
			zero := above.nextZero(&pool)
			if zero != nil {
				woken := len(zero.token) > 0
				zero.leave()
				if !woken {
					return // nobody has ended yet
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
			if below.open.open.Load() != open || above.open.Load() != open {
				r.Failf("%d open below, %d above, want %d", below.open.open.Load(), above.open.Load(), open)
			}
			if waiting := above.zero.Load(); open == 0 && waiting != nil && above.open.Load() != 0 {
				r.Failf("somebody waits for ever")
			}
		})
	}
}

func TestExploreTally(t *testing.T) {
	explore.Exhaustive(t, 3, tallyProgram(false))
	explore.Freeze(t, tallyProgram(false))
}

// TestExploreTallyWakes: whoever waits finds that all is done, or has a channel that is closed.
func TestExploreTallyWakes(t *testing.T) {
	explore.Exhaustive(t, explore.Unbounded, func(r *explore.Run) {
		var all tally
		var pool crowdPool
		all.add(2)
		crowds := make([]*crowd, 2)
		for i, name := range []string{"waiter", "another"} {
			r.Go(name, func() { crowds[i] = all.nextZero(&pool) })
		}
		for _, name := range []string{"one", "two"} {
			r.Go(name, func() { all.remove(1) })
		}
		r.After(func() {
			for i, k := range crowds {
				if k != nil && len(k.token) == 0 {
					r.Failf("waiter %d sleeps for ever", i)
				}
			}
		})
	})
}

// TestExploreTallyControl: a sender that counts after others can see the message is found out.
func TestExploreTallyControl(t *testing.T) { explore.MustFail(t, 3, tallyProgram(true)) }

// crowdProgram has a waiter of a tally that becomes zero twice, while the crowd that it finds may go to the waiter of another one, which never does. flaw
// makes the waiter believe its first look at the word (K2).
func crowdProgram(flaw bool) func(*explore.Run) {
	return func(r *explore.Run) {
		var pool crowdPool
		var ends, stays tally
		ends.add(1)
		stays.add(1)
		ends.nextZero(&pool).leave() // it waits no longer: the word keeps the crowd
		var one, other *crowd
		r.Go("waiter", func() {
			if k := ends.zero.Load(); flaw && k != nil && k.hold() {
				if one = k; ends.open.Load() != 0 {
					return
				}
				one = nil
				k.leave()
			}
			one = ends.nextZero(&pool)
		})
		r.Go("other waiter", func() { other = stays.nextZero(&pool) })
		r.Go("sender", func() {
			ends.remove(1)
			ends.add(1)
			ends.remove(1)
		})
		r.After(func() {
			if one != nil {
				if len(one.token) == 0 {
					r.Failf("the waiter sleeps for ever")
				}
				one.leave()
			}
			if other == nil || len(other.token) != 0 || other.holds.Load() != 2 || stays.zero.Load() != other {
				r.Failf("the other waiter is not the only one in its crowd: %v", other)
			}
			for i, k := range pool.free {
				if k.holds.Load() != 0 || len(k.token) != 0 || k == other || slices.Contains(pool.free[:i], k) {
					r.Failf("a crowd is in the pool that must not be")
				}
			}
		})
	}
}

func TestExploreCrowd(t *testing.T) {
	explore.Exhaustive(t, 3, crowdProgram(false))
	explore.Freeze(t, crowdProgram(false))
}

// TestExploreCrowdControl: a waiter that joins a crowd which has gone to another tally is found out.
func TestExploreCrowdControl(t *testing.T) { explore.MustFail(t, 3, crowdProgram(true)) }
