//go:build explore

package ddb

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/explore"
)

// spending makes two shards grow and shrink within a limit that is too small for both, while a
// third goroutine takes credit back. take and reclaim are those of the budget, or seeded bugs.
func spending(take func(b *budget, n int64) bool, reclaim func(b *budget)) func(r *explore.Run) {
	return func(r *explore.Run) {
		const limit = 1280 // the grain is 10
		b := newBudget(2)
		b.limit.Store(limit)
		shards := [2]shard{{budget: b, account: b.accounts[0]}, {budget: b, account: b.accounts[1]}}
		within := func() {
			if reserved := b.reserved.Load(); reserved > limit {
				r.Failf("%d bytes are reserved, the limit is %d", reserved, limit)
			}
		}
		for i, name := range []string{"one", "another"} {
			s := &shards[i]
			r.Go(name, func() {
				const much = 800
				if s.reservation += s.account.withdraw(); s.reservation < much && take(b, much-s.reservation) {
					s.reservation = much
				}
				within()
				if s.reservation >= much {
					s.charge(much)
					s.charge(-much / 2)
				}
				s.publish()
			})
		}
		r.Go("third", func() { reclaim(b); within() })
		r.After(func() {
			used, credit := int64(0), int64(0)
			for i := range shards {
				used += shards[i].used
				credit += b.accounts[i].credit.Load()
				if shards[i].reservation != 0 || b.accounts[i].credit.Load() < 0 || b.accounts[i].used.Load() != uint64(shards[i].used) {
					r.Failf("shard %d has %d reserved, %d credit", i, shards[i].reservation, b.accounts[i].credit.Load())
				}
			}
			if reserved := b.reserved.Load(); reserved != used+credit {
				r.Failf("%d bytes are reserved, %d used, %d credit", reserved, used, credit)
			}
			if used == 0 {
				r.Failf("both were refused")
			}
		})
	}
}

func TestExploreBudget(t *testing.T) {
	body := spending((*budget).take, func(b *budget) { b.reclaim() })
	explore.Exhaustive(t, 3, body)
	explore.Freeze(t, body)
}

// TestExploreBudgetBugs finds a take that checks the limit before it changes the word, and a
// reclaim that takes credit in two steps.
func TestExploreBudgetBugs(t *testing.T) {
	explore.MustFail(t, 2, spending(func(b *budget, n int64) bool {
		if b.reserved.Load()+n > b.limit.Load() {
			return false
		}
		b.force(n)
		return true
	}, func(b *budget) { b.reclaim() }))
	explore.MustFail(t, 2, spending((*budget).take, func(b *budget) {
		for _, a := range b.accounts {
			n := a.credit.Load()
			a.credit.Store(0)
			b.give(n)
		}
	}))
}
