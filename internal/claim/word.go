package claim

import (
	_ "sync/atomic" // lets the compiler inline the operations of internal/sync/atomics

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Source:     our own; a goroutine that finds the lock taken leaves its work to the holder as in
//             flat combining (D. Hendler et al., SPAA 2010)
// Sketch:     L0 Reserve: claimed is set from the start, on behalf of one mailbox: for its present
//             owner, or its next one
//             L1  Join: the first such owner becomes the holder
//             L2  Claim: the owner of a mailbox sets claimed; if claimed is set already, it sets
//                 the bit of its mailbox instead, and goes away
//             L3  Held: the holder clears the bits that are set, and owns those mailboxes now
//             L4  GiveUp: the holder that has no mailbox left gives up the claim, by a
//                 compare-and-swap from claimed without bits; if that fails, it goes on at L3
//             L5  Release: the holder does L3, gives up the claim as in L4, and keeps the
//                 mailboxes, which it hands to others
// Invariants: I1 claimed is set exactly while there is a holder, or the first owner of the mailbox
//             of L0 has not joined yet.
//             I2 A bit is set only while claimed is, by the owner of that mailbox, which ceases to
//             be its owner by that.
//             I3 held is the holder's; joined belongs to the owner of the mailbox of L0.
//             Not invariant: that the holder has a mailbox. It may have given up all of them.
// Progress:   lock-free: a compare-and-swap fails because another one took effect. No goroutine
//             waits for the holder.
// Linearize:  a claim at L2's compare-and-swap; the end of a claim at that of L4 or L5
// Publish:    The holder writes before L4 or L5, and the next holder reads after L2.
// Cost:       two compare-and-swaps for each time that an object is held, and a load for each L3
// Checked by: TestExploreClaim…, TestWord

// Word says whether there is a holder, and which mailboxes were left to the holder. The zero value
// is not claimed. It must not be copied.
type Word struct {
	word   atomics.Uint32        // claimed, and a bit for each mailbox that was left to the holder
	held   atomics.Plain[uint32] // a bit for each mailbox that the holder owns
	joined atomics.Plain[bool]
}

const claimed = 1 << 31

// Bit returns the bit of mailbox i, which is less than 31.
func Bit(i uint8) uint32 { return 1 << i }

// Reserve claims in the name of the first caller of Join (L0). The Word is new, and not shared.
func (w *Word) Reserve() { w.word.Store(claimed) }

// Join makes the caller the holder if it is the first owner of mailbox i that calls Join since
// Reserve (L1). It reports whether it did. i is always the same.
func (w *Word) Join(i uint8) bool {
	if w.joined.Get() {
		return false
	}
	w.joined.Set(true)
	w.held.Set(Bit(i))
	return true
}

// Claim makes the caller, which owns mailbox i, the holder, and returns true. If there is a holder
// already, Claim leaves the mailbox to it, and returns false (L2).
func (w *Word) Claim(i uint8) bool {
	for {
		now := w.word.Load()
		if now == 0 {
			if w.word.CompareAndSwap(0, claimed) {
				w.held.Set(Bit(i))
				return true
			}
		} else if w.word.CompareAndSwap(now, now|Bit(i)) {
			return false
		}
	}
}

// Held takes the mailboxes that were left to the holder, and returns the bits of all that the
// holder owns (L3). The holder calls it.
func (w *Word) Held() uint32 {
	if left := w.word.Load() &^ claimed; left != 0 {
		w.word.And(^left)
		w.held.Set(w.held.Get() | left)
	}
	return w.held.Get()
}

// Drop notes that mailbox i was given up, and is no longer the holder's. The holder calls it.
func (w *Word) Drop(i uint8) { w.held.Set(w.held.Get() &^ Bit(i)) }

// GiveUp gives up the claim, and reports whether it did: false if a mailbox was left to the holder
// meanwhile (L4). The holder calls it when it owns no mailbox.
func (w *Word) GiveUp() bool { return w.word.CompareAndSwap(claimed, 0) }

// Release gives up the claim and returns the bits of the mailboxes that the holder owned, and that
// the caller owns now (L5). The holder calls it.
func (w *Word) Release() (held uint32) {
	for {
		held = w.Held()
		w.held.Set(0) // before the claim is given up: afterwards it is the next holder's
		if w.GiveUp() {
			return held
		}
		w.held.Set(held)
	}
}
