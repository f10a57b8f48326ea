package freerun

import (
	"github.com/freerun-go/freerun/internal/claim"
	"github.com/freerun-go/freerun/internal/sched"
)

// A unit that gets messages of several priorities has a mailbox for each of them. The mailbox of
// Normal is the unit's own; each other one is a priority mailbox, with a task of its own, which is
// queued with that priority while the mailbox is owned. So the tasks of one unit lie in several
// run queues, and two processors may come to the unit at once. One word, a [claim.Word], decides
// which of them runs the unit, and there the others leave their mailboxes. A unit without
// prioritized messages has no such word: the owner of its mailbox runs it. The steps have the
// numbers of internal/claim/word.go:
//
//	L0  The first sender with a priority makes the priority mailboxes, and reserves the claim for
//	    the owner, present or next, of the mailbox of Normal. The sender puts a token there, so
//	    that there is, or will be, an owner.
//	L1  That owner looks for priority mailboxes before each message, and before each drain. When
//	    it finds them for the first time, it joins.
//	L2  A processor that runs the task of a mailbox, and so owns that mailbox, claims.
//	L3  Before each message, the holder takes the mailboxes that were left to it. The next message
//	    comes from the highest of its mailboxes, or from a lower one whose turn it is.
//	L4  The holder that has no mailbox left gives up the claim.
//	L5  The holder that must let others have their turn releases the claim, and then queues the
//	    tasks of all its mailboxes.
//	L6  A holder leaves the unit, and the claim stays set, when it comes to a message to several
//	    units, or to a message that must be alone while there are readers, or when the unit is
//	    muted. The goroutine that lets the unit go on is the holder then, and does L5.

// Source:     our own, on internal/claim
// Invariants: I1 The holder of the claim alone runs operations.
//             I2 Each owned mailbox is in the hands of the sender that Enqueue made its owner, of
//             the scheduler, as its task is queued, of the claim, or of the holder.
//             running and turns are the holder's.
// Publish:    the state of the unit is written before L4 or L5 and read after L2; priority
//             mailboxes are made before they are seen
// Cost:       two compare-and-swaps each time that a unit with priority mailboxes is run, and one
//             load a message; a unit without pays a load
// Checked by: TestExploreClaim… (internal/claim), TestPriority…, TestMixedStress

// priorityMailboxes are the mailboxes of a unit that gets messages of several priorities.
type priorityMailboxes struct {
	unit    *unit
	claim   claim.Word
	running sched.Priority
	turns   sched.Turns
	boxes   [priorities]priorityMailbox // by priority; that of Normal is not used
	token   message
}

// pick returns the priority of the mailbox to take a message from. It returns false if there is
// none: the caller is no longer the holder then (L3, L4).
func (x *priorityMailboxes) pick() (sched.Priority, bool) {
	for {
		if held := x.claim.Held(); held != 0 {
			x.running = x.turns.Next(held)
			return x.running, true
		}
		if x.claim.GiveUp() {
			return sched.Normal, false
		}
	}
}
