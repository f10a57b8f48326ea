package promise

import (
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
)

// A message of a scope may be canceled until it has begun, and a message that a Call has sent until
// its caller gives up the wait. Such a message is revocable. The edge of its cell is the
// word that decides: the holder makes it begun, a revoker makes it a failure.
//
//	S1  sent      edge = unbegun, or the future that the message waits for; not shared yet
//	S2  waits     the holder replaces the edge that it has stored by the next one, with a
//	              compare-and-swap; elsewhere stands for what is in no mailbox, and whose argument
//	              others read
//	S3  begun     the holder replaces the edge by begun, to start the message, or by failing, to
//	              fail it; a message that has begun may fail, too
//	S4  revoked   the revoker, another goroutine, replaces the edge by a failure, seals the
//	              cell, and takes the message out of its scope; the holder finds that at its
//	              next step, and only drops the argument
//	S5  owes      a message that has begun waits for a future of its result, and its edge leads
//	              there by a bridge, which tells S5 from S2
//
// The canceler of a scope waits for the processors that are in the middle of S3:
//
//	C1  the processor sets its Start,  D1  the canceler cancels the scope,
//	C2  and looks at the scope;        D2  and waits until Start is clear on each processor
//	C3  it clears Start, right before it calls the function
//
// Either C2 finds the scope canceled, or D2 finds Start set. So when the cancel returns, each
// message of the scope has been started, or never is.
//
// Invariants: I1 From the first edge of a revocable message until it has begun, the edge changes by
//             compare-and-swap only. Afterwards the edge is the holder's.
//             I2 The revoker touches nothing of the message, which is the holder's. The one
//             exception: it drops the argument of an unbegun message, if it can. Then the failure
//             that becomes the edge says that the holder must not touch the argument.
// Progress:   S1 to S5 are lock-free. D2 waits for a few instructions of another processor, between
//             which nothing waits.
// Cost:       nothing for messages that are not revocable. Otherwise a compare-and-swap with a
//             future, an exchange without.
// Checked by: TestExploreStart…, TestExploreRevoke…; of package freerun TestScopeCancel…, TestCall…

// hasBegun reports whether an edge is that of a message that has begun, or was revoked.
func (c *Cell) hasBegun() bool {
	return c == &begun || c == &failing || c != &unbegun && c.isNoPromise()
}

// isNoPromise reports whether a cell is part of a failure, or a bridge.
func (c *Cell) isNoPromise() bool {
	s := c.state.Load()
	return s == &isFailure || s == &isBridge
}

// Elsewhere returns the mark of a message that is in no mailbox, and waits for no future: its
// outcome comes from outside, or it comes to its unit later. It may be revoked; then its argument
// is left to the holder. [Cell.Lead] and [Cell.SetEdge] take the mark.
func Elsewhere() *Cell { return &elsewhere }

// Lead makes the edge of a revocable message lead to dep; nil for nothing (S1, S2). It returns
// false if the message was revoked. unshared: no other goroutine knows the cell yet. Holder only.
func (c *Cell) Lead(dep *Cell, unshared bool) bool {
	if dep == nil {
		dep = &unbegun
	}
	now := c.edge.Load()
	if unshared || now == nil {
		c.edge.Store(dep)
		return true
	}
	return !now.isFailure() && c.edge.CompareAndSwap(now, dep)
}

// Claim gives a revocable message that is to be run to its holder alone (S3). It returns false if
// the message was revoked. Holder only.
func (c *Cell) Claim() bool { return c.claim(&begun) }

// ClaimFailing is Claim for a message that is to fail.
func (c *Cell) ClaimFailing() bool { return c.claim(&failing) }

func (c *Cell) claim(to *Cell) bool {
	now := c.edge.Load()
	return now == nil || !now.isFailure() && c.edge.CompareAndSwap(now, to)
}

// Refuse says of a message that was claimed that it fails. Holder only, before it clears its Start:
// a canceler that has waited for that (D2) learns that the message is not run.
func (c *Cell) Refuse() { c.edge.Store(&failing) }

// Revoke makes f the failure of a revocable message unless that has begun, and reports whether it
// did (S4). Then the caller seals the cell as Filled. It returns drops if the caller must drop the
// argument, which it can do if canDrop: the message was waiting only for its turn. Any goroutine.
func (c *Cell) Revoke(f *Failure, canDrop bool) (revoked, drops bool) {
	for {
		now := c.edge.Load()
		if now == nil || now.hasBegun() || !c.Open() {
			return false, false
		}
		drops = canDrop && (now == &unbegun || now.isGate())
		f.dropped.Store(drops)
		if c.edge.CompareAndSwap(now, &f.cell) {
			return true, drops
		}
	}
}

// Revocation returns the failure of a message that was revoked, as Lead or a Claim has told. Holder
// only.
func (c *Cell) Revocation() *Failure { return failureOf(c.edge.Load()) }

// Ending reports whether another goroutine is about to seal the cell with a failure, though its
// message does not run. Any goroutine.
func (c *Cell) Ending() bool {
	now := c.edge.Load()
	return now == &failing || now != nil && now.isFailure()
}

// Start is the word of a processor that starts revocable messages. The zero Start is clear. It must
// not be copied after first use.
type Start struct{ word atomics.Release[uint32] }

// Begin sets the word for a message without a cell, which cannot be revoked (C1). The processor's
// goroutine only.
func (s *Start) Begin() { s.word.Swap(1) }

// BeginClaim sets the word and claims the message of a cell (C1 and S3). It returns false, and has
// cleared the word, if the message was revoked. The processor's goroutine only.
func (s *Start) BeginClaim(c *Cell) bool {
	s.word.Store(1)
	if c.Claim() {
		return true
	}
	s.word.Store(0)
	return false
}

// End clears the word (C3). The processor's goroutine only.
func (s *Start) End() { s.word.Store(0) }

// Await waits until the word is clear (D2). Any goroutine.
func (s *Start) Await() {
	for wait := (backoff.Backoff{}); s.word.Load() != 0; wait.Wait() {
	}
}
