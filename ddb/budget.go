package ddb

import (
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// budget is the memory of all shards, and its limit. Any goroutine may use it; nothing waits.
//
// A shard must not ask all other shards before it writes, yet the limit must hold. So memory is
// reserved first, a grain at a time, in one word of the server. A shard spends its reservation
// without telling anyone.
//
//	reserved ── take ──> reservation ── charge ──> used by the shard's entries
//	    ▲                  │     ▲
//	    │               deposit withdraw   reservation: the shard's, while an operation runs
//	    │                  ▼     │         credit: between operations, anyone may reclaim it
//	    └──── reclaim ─── credit ┘
//
// Source:     a striped counter whose stripes take their shares in advance, as in escrow methods
// (P. O'Neil, The escrow transactional method, TODS 1986). Ours are taken back by the shard that
// needs them.
// Invariants:
// I1 reserved is the sum of the used bytes, the reservations, the credits, the grants under way,
// and the bytes in the hands of reclaim.
// I2 credit is not negative.
// I3 take never leaves reserved above the limit. force may, and so may a lowered limit.
// NOT invariant: limit-reserved is all that can be had. Up to two grains of each shard may be
// credit, a reservation, or in the hands of reclaim for a moment. A shard that is refused meanwhile
// has looked for the credit in vain.
// Progress:   lock-free. take tries again only if another goroutine changed reserved; reclaim and
// withdraw empty a stripe by one exchange. A stalled goroutine keeps from the others only the bytes
// in its hands.
// Linearize:  take at its compare-and-swap, withdraw and reclaim at the exchange of each credit,
// the others at their one atomic.
// Publish:    nothing plain: the bytes that a shard holds are its own.
// Memory:     two lines for each shard, for the life of the server.
// Cost:       a message that changes what its shard uses: at most two exchanges on the shard's own
// line, and for each grain one compare-and-swap on the common line. Other messages: none.
// Checked by: TestExploreBudget, TestExploreBudgetBugs, TestBudgetStress, TestEvictionUnderLoad
type budget struct {
	_        pad.Line
	reserved atomics.Int64 // bytes
	_        pad.Line
	limit    atomics.Int64 // bytes; 0: none
	policy   atomics.Int32 // index in policies
	samples  atomics.Int32 // how many entries approximate LRU looks at
	accounts []*account    // by shard
}

// account is one shard's part of a budget. Only the shard deposits and withdraws. Any goroutine may
// reclaim the credit and read the other fields.
type account struct {
	_         pad.Line
	credit    atomics.Int64
	used      atomics.Release[uint64] // bytes of the shard's entries, as of its last message
	evictable atomics.Release[uint64] // of them, those that the policy would evict
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

// over reports whether more is reserved than the limit allows. Only a lowered limit, or force,
// makes it so.
func (b *budget) over() bool {
	limit := b.limit.Load()
	return limit > 0 && b.reserved.Load() > limit
}

// take reserves n bytes if the limit allows it.
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

// force reserves n bytes whatever the limit is, for entries that exist already.
func (b *budget) force(n int64) { b.reserved.Add(n) }

// give returns n reserved bytes.
func (b *budget) give(n int64) { b.reserved.Add(-n) }

// reclaim gives the credit of all shards back to the budget, and reports whether there was any.
func (b *budget) reclaim() (any bool) {
	for _, a := range b.accounts {
		if a.credit.Load() == 0 {
			continue // most accounts; a load does not disturb their owners
		}
		if n := a.credit.Swap(0); n > 0 {
			b.give(n)
			any = true
		}
	}
	return any
}

// grain is how many bytes a shard reserves beyond what it needs now: for all shards together at
// most a 64th of the limit.
func (b *budget) grain() int64 {
	const most = 64 << 10
	if limit := b.limit.Load(); limit > 0 {
		return min(most, limit/int64(64*len(b.accounts)))
	}
	return most
}

// used returns the bytes of all shards' entries, each as of its last message.
func (b *budget) used() (n int64) {
	for _, a := range b.accounts {
		n += int64(a.used.Load())
	}
	return n
}

// evictable returns the bytes that eviction could free, of each shard as of its last message.
func (b *budget) evictable() (n int64) {
	for _, a := range b.accounts {
		n += int64(a.evictable.Load())
	}
	return n
}

// exhausted reports whether more is reserved than the limit allows and nothing can be evicted: what
// Redis calls out of memory.
func (b *budget) exhausted() bool {
	if !b.over() {
		return false
	}
	b.reclaim()
	return b.over() && b.evictable() == 0
}

// withdraw takes the whole credit. Only the account's shard may call it.
func (a *account) withdraw() int64 { return a.credit.Swap(0) }

// deposit makes n bytes credit, which this shard may take, or another shard that reclaims.
func (a *account) deposit(n int64) { a.credit.Add(n) }
