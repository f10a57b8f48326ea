package timerwheel

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/replay"
)

// TestTimerSlots compares a wheel with a plain list, with instants near and far, timers that are
// removed, and leaps of every size. At each instant all due timers come out, soonest first, and
// next is never after the soonest timer.
func TestTimerSlots(t *testing.T) {
	seed := replay.Seed(t)
	for round := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, round))
		w, now := &Slots{}, int64(0)
		var in []*Entry
		far := func() int64 { return random.Int64N(1 << (1 + random.IntN(61))) }
		for range 400 {
			switch random.IntN(4) {
			case 0, 1:
				timer := &Entry{When: now + far()}
				w.Add(timer)
				in = append(in, timer)
			case 2:
				if len(in) > 0 {
					i := random.IntN(len(in))
					w.Remove(in[i])
					w.Remove(in[i]) // once more does nothing
					in = slices.Delete(in, i, i+1)
				}
			default:
				if next := w.Next(); random.IntN(2) == 0 && next != Never {
					now = max(now, next)
				} else {
					now = min(now+far(), 1<<61)
				}
				due := w.Advance(now, nil)
				var left []*Entry
				for _, timer := range in {
					if timer.When > now {
						left = append(left, timer)
					} else if !slices.Contains(due, timer) {
						t.Fatalf("round %d: at %d a timer of %d is not due", round, now, timer.When)
					}
				}
				if len(due)+len(left) != len(in) || !slices.IsSortedFunc(due, func(a, b *Entry) int { return int(min(max(a.When-b.When, -1), 1)) }) {
					t.Fatalf("round %d: %d of %d are due, %d are not, or their order is wrong", round, len(due), len(in), len(left))
				}
				in = left
			}
			soonest := int64(Never)
			for _, timer := range in {
				soonest = min(soonest, timer.When)
			}
			if next := w.Next(); next > soonest || w.Empty() != (len(in) == 0) {
				t.Fatalf("round %d: next is %d, the soonest %d; empty is %v", round, next, soonest, w.Empty())
			}
		}
		if all := w.TakeAll(nil); len(all) != len(in) || !w.Empty() || w.Next() != Never {
			t.Fatalf("round %d: %d were left of %d", round, len(all), len(in))
		}
	}
}

// TestTimerSlotsMoves: a timer is moved at most once for each level.
func TestTimerSlotsMoves(t *testing.T) {
	const n = 1000
	w := &Slots{}
	random := rand.New(rand.NewPCG(1, 1))
	for range n {
		w.Add(&Entry{When: random.Int64N(1 << 45)})
	}
	turns, due := 0, 0
	for ; !w.Empty(); turns++ {
		due += len(w.Advance(w.Next(), nil))
	}
	if due != n || turns > n*slotLevels {
		t.Errorf("%d came out in %d turns", due, turns)
	}
}
