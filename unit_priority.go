package freerun

import (
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// A unit that gets messages of several priorities has a lane for each: a mailbox with a task of its own, which is queued with that
// priority while the mailbox is owned. So the tasks of one unit lie in several run queues, and two processors may come to it at
// once. One word decides who runs it, and is where the others leave their lanes. The lane of Normal is the unit itself: a unit without
// prioritized messages has no such word, and the owner of its mailbox is the one who runs it.
//
//	L0  The first to send with a priority makes the lanes, claimed in the name of whoever owns the mailbox of Normal, now or next, and sends
//	    a token there, so that there is, or will be, an owner.
//	L1  That owner looks for lanes before each letter, and before each drain. When it finds some for the first time, it joins: it holds the
//	    claim.
//	L2  Who runs the task of a lane, and so owns its mailbox, claims: it sets claimed, or if somebody has, the bit of its lane, and goes away.
//	L3  The holder takes the lanes whose bits are set before each letter, and clears the bits: it owns their mailboxes now. It takes the next
//	    letter from the highest lane that it has, and when a mailbox is given up, that lane is nobody's.
//	L4  The holder that has no lane left gives up the claim, by a compare-and-swap from claimed and no bits; if that fails, it goes on at L3.
//	L5  The holder that must let others have their turn takes the lanes whose bits are set, gives up the claim as in L4, and then queues the tasks of
//	    all its lanes.
//	L6  A holder that leaves the unit to others, as it comes to a message to several units, to one that must be alone while there are readers, or
//	    as the unit is held back, goes away and keeps the claim. Who lets the unit go on is the holder then, and does L5.

// Source:     our own; who finds the lock taken leaves its work to the holder as in flat combining (D. Hendler et al., SPAA 2010)
// Invariants: I1 claimed is set exactly while there is a holder, or the first owner of Normal's mailbox has not joined yet; the holder alone
//             runs operations. I2 a bit is set only while claimed is, by the owner of the lane's mailbox, who is no longer that owner then.
//             I3 each owned mailbox is in the hands of the one who was told so by Enqueue, of the scheduler, as its task is queued, of
//             the word, or of the holder. held, running and turns are the holder's; joined is the owner of Normal's.
// Progress:   L2 is lock-free: its compare-and-swap fails because another's took effect. Nobody waits for the holder.
// Linearize:  a claim at L2's compare-and-swap; the end of one at L4's
// Publish:    the state of the unit is written before L4 or L5 and read after L2; lanes are made before they are seen
// Cost:       two compare-and-swaps for each time that a unit with lanes is run, one load a letter; nothing without lanes but a load
// Checked by: TestExploreLanes…, TestPriority…, TestMixedStress

// lanes is what a unit has for messages of several priorities.
type priorityMailboxes struct {
	unit    *unit
	word    atomics.Uint32 // claimed, and a bit for each lane that was left to the holder
	held    atomics.Plain[uint32]
	joined  atomics.Plain[bool]
	running Priority
	turns   sched.Turns
	express [priorities]priorityMailbox // by priority; that of Normal is not used
	token   message
}

const claimed = 1 << 31

func laneBit(p Priority) uint32 { return 1 << p }

// join makes the caller, who owns the mailbox of Normal, the holder if it is the first since there are lanes, and reports whether it did (L1).
func (x *priorityMailboxes) join() bool {
	if x.joined.Get() {
		return false
	}
	x.joined.Set(true)
	x.held.Set(laneBit(Normal))
	return true
}

// claim makes the caller, who owns the mailbox of lane p, the holder, or leaves the lane to the one that there is (L2).
func (x *priorityMailboxes) claim(p Priority) bool {
	for {
		w := x.word.Load()
		if w == 0 {
			if x.word.CompareAndSwap(0, claimed) {
				x.held.Set(laneBit(p))
				return true
			}
		} else if x.word.CompareAndSwap(w, w|laneBit(p)) {
			return false
		}
	}
}

// takeOver takes the lanes that were left to the holder (L3).
func (x *priorityMailboxes) takeOver() {
	if left := x.word.Load() &^ claimed; left != 0 {
		x.word.And(^left)
		x.held.Set(x.held.Get() | left)
	}
}

// pick returns the lane to take a letter from; false if there is none, and the caller is the holder no longer (L3, L4).
func (x *priorityMailboxes) pick() (Priority, bool) {
	for {
		x.takeOver()
		held := x.held.Get()
		if held != 0 {
			x.running = x.turns.Next(held)
			return x.running, true
		}
		if x.word.CompareAndSwap(claimed, 0) {
			return Normal, false
		}
	}
}

// gaveUp says that the mailbox of a lane was given up.
func (x *priorityMailboxes) gaveUp(p Priority) { x.held.Set(x.held.Get() &^ laneBit(p)) }

// release gives up the claim and returns the lanes whose tasks the caller must queue (L5).
func (x *priorityMailboxes) release() (held uint32) {
	for {
		x.takeOver()
		held = x.held.Get()
		x.held.Set(0) // before the claim is given up: afterwards it is the next holder's
		if x.word.CompareAndSwap(claimed, 0) {
			return held
		}
		x.held.Set(held)
	}
}
