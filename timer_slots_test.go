package freerun

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/freerun-go/freerun/internal/verify/replay"
)

// TestTimerSlots compares a wheel with a plain list, with instants near and far, timers that are
// removed, and leaps of every size. At each instant all due timers come out, soonest first, and
// next is never after the soonest timer.
func TestTimerSlots(t *testing.T) {
	seed := replay.Seed(t)
	for round := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, round))
		w, now := &timerSlots{}, int64(0)
		var in []*Timer
		far := func() int64 { return random.Int64N(1 << (1 + random.IntN(61))) }
		for range 400 {
			switch random.IntN(4) {
			case 0, 1:
				timer := &Timer{when: now + far()}
				w.add(timer)
				in = append(in, timer)
			case 2:
				if len(in) > 0 {
					i := random.IntN(len(in))
					w.remove(in[i])
					w.remove(in[i]) // once more does nothing
					in = slices.Delete(in, i, i+1)
				}
			default:
				if next := w.next(); random.IntN(2) == 0 && next != timerNever {
					now = max(now, next)
				} else {
					now = min(now+far(), 1<<61)
				}
				due := w.advance(now, nil)
				var left []*Timer
				for _, timer := range in {
					if timer.when > now {
						left = append(left, timer)
					} else if !slices.Contains(due, timer) {
						t.Fatalf("round %d: at %d a timer of %d is not due", round, now, timer.when)
					}
				}
				if len(due)+len(left) != len(in) || !slices.IsSortedFunc(due, func(a, b *Timer) int { return int(min(max(a.when-b.when, -1), 1)) }) {
					t.Fatalf("round %d: %d of %d are due, %d are not, or their order is wrong", round, len(due), len(in), len(left))
				}
				in = left
			}
			soonest := int64(timerNever)
			for _, timer := range in {
				soonest = min(soonest, timer.when)
			}
			if next := w.next(); next > soonest || w.empty() != (len(in) == 0) {
				t.Fatalf("round %d: next is %d, the soonest %d; empty is %v", round, next, soonest, w.empty())
			}
		}
		if all := w.takeAll(nil); len(all) != len(in) || !w.empty() || w.next() != timerNever {
			t.Fatalf("round %d: %d were left of %d", round, len(all), len(in))
		}
	}
}

// TestTimerSlotsMoves: a timer is moved at most once for each level.
func TestTimerSlotsMoves(t *testing.T) {
	const n = 1000
	w := &timerSlots{}
	random := rand.New(rand.NewPCG(1, 1))
	for range n {
		w.add(&Timer{when: random.Int64N(1 << 45)})
	}
	turns, due := 0, 0
	for ; !w.empty(); turns++ {
		due += len(w.advance(w.next(), nil))
	}
	if due != n || turns > n*slotLevels {
		t.Errorf("%d came out in %d turns", due, turns)
	}
}

// TestTimerKeepsNothing: a timer that has fired, or was stopped, keeps neither its message nor its
// scope nor the timers beside it from being collected.
func TestTimerKeepsNothing(t *testing.T) {
	rt := New(Processors(1))
	defer rt.Close()
	hand := handWheels(rt)
	scope := rt.Scope(t.Context())
	var timers []*Timer
	for i := range 100 {
		_, timer := timerAtTheEnd.SendAfter(scope.Context(), time.Hour, i)
		timers = append(timers, timer)
	}
	for _, timer := range timers[:50] {
		if !timer.Stop() {
			t.Error("not stopped")
		}
	}
	for hand.strike() {
	}
	for i, timer := range timers {
		if timer.target != nil || timer.scope != nil || timer.next != nil || timer.previous != nil || timer.node.Next() != nil {
			t.Errorf("timer %d keeps something: %+v", i, timer)
		}
	}
	if n := scope.more.Load().timers.size.Load(); n > 2*fewestSwept {
		t.Errorf("the scope keeps %d timers that have ended", n)
	}
	if err := scope.Wait(t.Context()); err != nil {
		t.Error(err)
	}
}
