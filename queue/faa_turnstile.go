package queue

import (
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// A turnstile hands out the slots of a segment, to enqueuers or to dequeuers. It is one word of
// three fields:
//
//	63 … 28  base    where the segment's life stands among all: how many slots came before it,
//	                 in units of the smallest segment
//	27       sealed  the segment is not in this role yet
//	26 … 0   index   the next slot; a segment of n slots is used up once index ≥ n
//
//	           seal(b)           open(b, first)           claim               claim
//	used up a ───────→ sealed b ──────────────→ b, first ─────→ b, first+1 … ─────→ used up b
//
// A claim adds to the word whatever its state, and learns from the old value whether a slot came
// with it: index and sealed taken as one number are less than n only while the turnstile is open.
// So a claim by a goroutine that has slept, and finds the segment in another life, gives a slot of
// that life or nothing.
//
// Overflow: a claim in vain adds one, and no goroutine makes two of them in one state of one life,
// because each leads past that state. So the index stays below sealed with fewer than 2^27
// goroutines asleep before their claim. base comes back after 2^36 smallest segments (some 2^43
// items, a day at full speed), which matters only to a call that slept for exactly so long between
// two loads.
type turnstile struct{ word atomics.Uint64 }

// ticket is a value of a turnstile.
type ticket uint64

const (
	baseShift = 28
	sealed    = 1 << (baseShift - 1)
	baseMask  = 1<<(64-baseShift) - 1
)

// index returns the slot that comes with the ticket, or a number that is not less than any number
// of slots.
func (t ticket) index() uint { return uint(t & (1<<baseShift - 1)) }

// limit returns how many slots enqueuers have claimed, or more once all are. It is for the enq of a
// linked segment, whose first slot comes claimed.
func (t ticket) limit() uint {
	if t.isSealed() {
		return 1
	}
	return t.index()
}

func (t ticket) base() uint64 { return uint64(t >> baseShift) }

func (t ticket) isSealed() bool { return t&sealed != 0 }

func (t *turnstile) load() ticket { return ticket(t.word.Load()) }

// stillOpen reports whether the segment is still in the life in which the turnstile showed seen,
// which was open. The base alone does not tell: a call that has prepared the segment, and then lost
// the race to link it, leaves it sealed with a base that it may also have had in an earlier life.
func (t *turnstile) stillOpen(seen ticket) bool {
	now := t.load()
	return !now.isSealed() && now.base() == seen.base()
}

// claim takes the next slot, if the turnstile is open.
func (t *turnstile) claim() ticket { return ticket(t.word.Add(1) - 1) }

// claimFrom takes n slots from seen, if the turnstile still shows it.
func (t *turnstile) claimFrom(seen ticket, n uint) bool {
	return t.word.CompareAndSwap(uint64(seen), uint64(seen)+uint64(n))
}

// seal begins a life. Only the goroutine that has the segment alone calls it: the store may undo a
// claim in vain, and no other change can be under way.
func (t *turnstile) seal(base uint64) { t.word.Store(base<<baseShift | sealed) }

// open lets slots be claimed, from first on, once for each life. Any goroutine may call it any
// number of times, from when the segment has its role in the life that began at base; afterwards it
// does nothing.
func (t *turnstile) open(base uint64, first uint) {
	for {
		now := t.load()
		if !now.isSealed() || now.base() != base || t.word.CompareAndSwap(uint64(now), base<<baseShift|uint64(first)) {
			return
		}
	}
}
