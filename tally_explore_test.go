//go:build explore

package freerun

import (
	"testing"

	"github.com/freerun-go/freerun/internal/atomics"
	"github.com/freerun-go/freerun/internal/explore"
)

// tallyProgram is a message that sends another one, which another seat runs, while somebody waits for the scope above theirs. flaw makes
// the sender count too late.
func tallyProgram(flaw bool) func(*explore.Run) {
	return func(r *explore.Run) {
		up, below := &accounts{}, &accounts{}
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
			zero := above.nextZero()
			if zero != nil {
				select {
				case <-zero:
				default:
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
		all.add(2)
		woken := make([]<-chan struct{}, 2)
		for i, name := range []string{"waiter", "another"} {
			r.Go(name, func() { woken[i] = all.nextZero() })
		}
		for _, name := range []string{"one", "two"} {
			r.Go(name, func() { all.remove(1) })
		}
		r.After(func() {
			for i, zero := range woken {
				if zero == nil {
					continue
				}
				select {
				case <-zero:
				default:
					r.Failf("waiter %d sleeps for ever", i)
				}
			}
		})
	})
}

// TestExploreTallyControl: a sender that counts after others can see the message is found out.
func TestExploreTallyControl(t *testing.T) { explore.MustFail(t, 3, tallyProgram(true)) }
