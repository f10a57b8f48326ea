package ddb

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// TestBudgetStress makes shards grow and shrink at once within a limit that is too small for all,
// while other goroutines take credit back. The limit holds throughout, and at the end all that is
// reserved is used or credit.
func TestBudgetStress(t *testing.T) {
	const shards, limit, steps = 4, 100_000, 20_000
	b := newBudget(shards)
	b.limit.Store(limit)
	seed := rand.Uint64()
	var workers, others sync.WaitGroup
	var stop atomic.Bool
	var refused atomic.Int64
	states := make([]shard, shards)
	for i := range states {
		s := &states[i]
		s.budget, s.account = b, b.accounts[i]
		workers.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(i)))
			for range steps {
				switch n := int64(random.IntN(limit / 3)); {
				case random.IntN(3) == 0:
					s.charge(-min(s.used, n))
				case s.reserve(n):
					s.charge(n)
				default:
					refused.Add(1)
				}
				if random.IntN(2) == 0 {
					s.publish()
				}
				if reserved := b.reserved.Load(); reserved > limit {
					t.Errorf("seed %d: %d bytes are reserved, the limit is %d", seed, reserved, limit)
					return
				}
			}
			s.publish()
		})
	}
	others.Go(func() {
		for !stop.Load() {
			b.reclaim()
		}
	})
	workers.Wait()
	stop.Store(true)
	others.Wait()
	used, credit := int64(0), int64(0)
	for i := range states {
		used += states[i].used
		credit += b.accounts[i].credit.Load()
	}
	if reserved := b.reserved.Load(); reserved != used+credit || used != b.used() {
		t.Errorf("seed %d: %d bytes are reserved, %d used (published %d), %d credit", seed, reserved, used, b.used(), credit)
	}
	if refused.Load() == 0 {
		t.Error("nothing was refused, so the limit was not tested")
	}
	if b.reclaim(); !b.take(limit - used) {
		t.Errorf("seed %d: %d bytes are used, and not all the rest can be had", seed, used)
	}
}
