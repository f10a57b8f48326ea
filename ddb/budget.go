package ddb

import (
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// budget is the memory of all shards, and its limit. Any goroutine may use it; nothing waits.
//
// A shard must not ask all others before it writes, and the limit must hold nevertheless. So what may be used is reserved first, in
// one word for the server, a grain at a time; a shard spends what it has reserved without telling anybody.
//
//	reserved ── take ──> reservation of a shard ── settle ──> used by its entries
//	    ▲                  │         ▲
//	    │               deposit   withdraw      reservation: while an operation runs, the shard's alone
//	    │                  ▼         │          credit: between operations, anybody's to take back
//	    └──── reclaim ─── credit ────┘
//
// Source:     a striped counter with the stripes' shares taken in advance, as in escrow methods (P. O'Neil, The escrow transactional method,
// TODS 1986); ours are taken back by whoever needs them.
// Invariants: I1 reserved is the sum of what is used, of the reservations, the credits, the grants that are under way, and what
// reclaim has in its hands. I2 credit is not negative. I3 take
// never leaves reserved above the limit; force may, and a limit that was lowered. NOT invariant: that limit-reserved is all there is to have: up to
// two grains for each shard may be credit, in a reservation, or in somebody's hands for a moment; who is refused meanwhile has looked for the credit in vain.
// Progress:   all lock-free: take tries again only if another changed reserved; reclaim and withdraw take a stripe by one exchange. Who stalls keeps
// what he has in his hands, and nothing else, from the others.
// Linearize:  take at its compare-and-swap, withdraw and reclaim at the exchange of each credit, the others at their one atomic.
// Publish:    nothing plain: what a shard has is its own
// Memory:     two lines for each shard, for as long as the server is.
// Cost:       a message that changes what its shard uses: at most two exchanges on the shard's own line, and for each grain one compare-and-swap on
// the common one; other messages: none.
// Checked by: TestExploreBudget, TestExploreBudgetBugs, TestBudgetStress, TestEvictionUnderLoad
type budget struct {
	_        pad.Line
	reserved atomics.Int64 // bytes
	_        pad.Line
	limit    atomics.Int64 // bytes; 0: none
	policy   atomics.Int32 // of evicting: a number in policies
	samples  atomics.Int32 // how many entries the approximation of LRU looks at
	accounts []*account    // by shard
}

// account is one shard's part of a budget. The shard deposits and withdraws; anybody reclaims, and reads the rest.
type account struct {
	_         pad.Line
	credit    atomics.Int64
	used      atomics.Release[uint64] // bytes of the shard's entries, as of its last message
	evictable atomics.Release[uint64] // of them, those of entries that the policy would evict
	figures   figures
	_         pad.Line
}

func newBudget(shards int) *budget {
	b := &budget{}
	for range shards {
		b.accounts = append(b.accounts, new(account))
	}
	b.samples.Store(standardSamples)
	return b
}

func (b *budget) limited() bool { return b.limit.Load() > 0 }

// over reports whether more is reserved than the limit allows. Only a limit that was lowered, or force, makes it so.
func (b *budget) over() bool {
	limit := b.limit.Load()
	return limit > 0 && b.reserved.Load() > limit
}

// take reserves n bytes if that keeps to the limit.
func (b *budget) take(n int64) bool {
	for {
		reserved, limit := b.reserved.Load(), b.limit.Load()
		if limit > 0 && reserved+n > limit {
			return false
		}
		if b.reserved.CompareAndSwap(reserved, reserved+n) { // linearizes take
			return true
		}
	}
}

// force reserves n bytes whatever the limit is: for what is there already.
func (b *budget) force(n int64) { b.reserved.Add(n) }

// give returns n bytes.
func (b *budget) give(n int64) { b.reserved.Add(-n) }

// reclaim takes the credit of all shards back, and reports whether there was any.
func (b *budget) reclaim() (any bool) {
	for _, a := range b.accounts {
		if a.credit.Load() == 0 {
			continue // most of them, and reading disturbs nobody
		}
		if n := a.credit.Swap(0); n > 0 {
			b.give(n)
			any = true
		}
	}
	return any
}

// grain is how much a shard reserves beyond what it needs now: at most a 64th of the limit for all shards together.
func (b *budget) grain() int64 {
	const most = 64 << 10
	if limit := b.limit.Load(); limit > 0 {
		return min(most, limit/int64(64*len(b.accounts)))
	}
	return most
}

// used returns how many bytes the entries of all shards take, each as of its last message.
func (b *budget) used() (n int64) {
	for _, a := range b.accounts {
		n += int64(a.used.Load())
	}
	return n
}

// evictable returns how many bytes could be had by evicting.
func (b *budget) evictable() (n int64) {
	for _, a := range b.accounts {
		n += int64(a.evictable.Load())
	}
	return n
}

// exhausted reports whether more is reserved than the limit allows, and nothing can be evicted: Redis's being out of memory.
func (b *budget) exhausted() bool {
	if !b.over() {
		return false
	}
	b.reclaim()
	return b.over() && b.evictable() == 0
}

// withdraw takes the whole credit.
func (a *account) withdraw() int64 { return a.credit.Swap(0) }

// deposit leaves n bytes to whoever comes first: the shard, or another one that reclaims.
func (a *account) deposit(n int64) { a.credit.Add(n) }
