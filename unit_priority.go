package freerun

import (
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// A unit that gets messages of several priorities has a mailbox for each of them. The mailbox of
// Normal is the unit's own; each other one is a priority mailbox, with a task of its own, which is
// queued with that priority while the mailbox is owned. So the tasks of one unit lie in several
// run queues, and two processors may come to the unit at once. One word decides which of them runs
// the unit, and there the others leave their mailboxes. A unit without prioritized messages has no
// such word: the owner of its mailbox runs it.
//
//	L0  The first sender with a priority makes the priority mailboxes. They are claimed from the
//	    start, in the name of the owner, present or next, of the mailbox of Normal. The sender
//	    puts a token there, so that there is, or will be, an owner.
//	L1  That owner looks for priority mailboxes before each message, and before each drain. When
//	    it finds them for the first time, it joins: it becomes the holder of the claim.
//	L2  A processor that runs the task of a mailbox, and so owns that mailbox, claims: it sets
//	    claimed. If claimed is set already, it sets the bit of its mailbox instead, and goes
//	    away.
//	L3  Before each message, the holder takes the mailboxes whose bits are set, and clears the
//	    bits: it owns those mailboxes now. The next message comes from the highest of its
//	    mailboxes, or from a lower one whose turn it is. A mailbox that is given up is no longer
//	    the holder's.
//	L4  The holder that has no mailbox left gives up the claim, by a compare-and-swap from
//	    claimed without bits. If that fails, it goes on at L3.
//	L5  The holder that must let others have their turn takes the mailboxes whose bits are set,
//	    gives up the claim as in L4, and then queues the tasks of all its mailboxes.
//	L6  A holder leaves the unit, and the claim stays set, when it comes to a message to several
//	    units, or to a message that must be alone while there are readers, or when the unit is
//	    muted. The goroutine that lets the unit go on is the holder then, and does L5.

// Source:     our own; a goroutine that finds the lock taken leaves its work to the holder as in
//             flat combining (D. Hendler et al., SPAA 2010)
// Invariants: I1 claimed is set exactly while there is a holder, or the first owner of Normal's
//             mailbox has not joined yet. The holder alone runs operations.
//             I2 A bit is set only while claimed is, by the owner of that mailbox, which ceases to
//             be its owner by that.
//             I3 Each owned mailbox is in the hands of the sender that Enqueue made its owner, of
//             the scheduler, as its task is queued, of the word, or of the holder.
//             held, running and turns are the holder's; joined belongs to the owner of Normal's
//             mailbox.
// Progress:   L2 is lock-free: its compare-and-swap fails because another one took effect. No
//             goroutine waits for the holder.
// Linearize:  a claim at L2's compare-and-swap; the end of a claim at L4's
// Publish:    the state of the unit is written before L4 or L5 and read after L2; priority
//             mailboxes are made before they are seen
// Cost:       two compare-and-swaps each time that a unit with priority mailboxes is run, and one
//             load a message; a unit without pays a load
// Checked by: TestExploreLanes…, TestPriority…, TestMixedStress

// priorityMailboxes are the mailboxes of a unit that gets messages of several priorities.
type priorityMailboxes struct {
	unit    *unit
	word    atomics.Uint32        // claimed, and a bit for each mailbox that was left to the holder
	held    atomics.Plain[uint32] // a bit for each mailbox that the holder owns
	joined  atomics.Plain[bool]
	running sched.Priority
	turns   sched.Turns
	express [priorities]priorityMailbox // by priority; that of Normal is not used
	token   message
}

const claimed = 1 << 31

func laneBit(p sched.Priority) uint32 { return 1 << p }

// join makes the caller, which owns the mailbox of Normal, the holder if it is the first such
// owner to find the priority mailboxes. It reports whether it did (L1).
func (x *priorityMailboxes) join() bool {
	if x.joined.Get() {
		return false
	}
	x.joined.Set(true)
	x.held.Set(laneBit(sched.Normal))
	return true
}

// claim makes the caller, which owns the mailbox of p, the holder, and returns true. If there is a
// holder already, claim leaves the mailbox to it, and returns false (L2).
func (x *priorityMailboxes) claim(p sched.Priority) bool {
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

// takeOver takes the mailboxes that were left to the holder (L3).
func (x *priorityMailboxes) takeOver() {
	if left := x.word.Load() &^ claimed; left != 0 {
		x.word.And(^left)
		x.held.Set(x.held.Get() | left)
	}
}

// pick returns the priority of the mailbox to take a message from. It returns false if there is
// none: the caller is no longer the holder then (L3, L4).
func (x *priorityMailboxes) pick() (sched.Priority, bool) {
	for {
		x.takeOver()
		held := x.held.Get()
		if held != 0 {
			x.running = x.turns.Next(held)
			return x.running, true
		}
		if x.word.CompareAndSwap(claimed, 0) {
			return sched.Normal, false
		}
	}
}

// gaveUp notes that the mailbox of p was given up.
func (x *priorityMailboxes) gaveUp(p sched.Priority) { x.held.Set(x.held.Get() &^ laneBit(p)) }

// release gives up the claim and returns the mailboxes, as bits, whose tasks the caller must queue
// (L5).
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
