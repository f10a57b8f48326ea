package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/claim"
	"github.com/freerun-go/freerun/internal/mailbox"
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
//	    units, or to a message that must be alone while there are readers, when the unit is muted,
//	    suspended, or rests after a restart, or for its activation. The goroutine that lets the
//	    unit go on is the holder then, and does L5.

// Source:     our own, on internal/claim
// Invariants: I1 The holder of the claim alone runs operations.
//             I2 Each owned mailbox is in the hands of the sender that Enqueue made its owner, of
//             the scheduler, as its task is queued, of the claim, or of the holder.
//             I3 Only the holder touches running and turns.
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

// priorityMailbox is the mailbox of a unit for one priority other than Normal, and the task that
// is queued, with that priority, while the mailbox is owned.
type priorityMailbox struct {
	sched.Task
	all      *priorityMailboxes
	mailbox  mailbox.Queue
	finished *message // as unit.finished
}

// priorityMailboxVtable is set in init, because the function that runs a priority mailbox leads to
// functions that queue it.
var priorityMailboxVtable sched.Kind

func init() {
	priorityMailboxVtable = sched.Kind{Run: runPriorityMailbox, Discard: discardPriorityMailbox}
}

func priorityMailboxOf(t *sched.Task) *priorityMailbox { return (*priorityMailbox)(unsafe.Pointer(t)) }

// priorityOf returns the priority of a mailbox.
func (x *priorityMailboxes) priorityOf(e *priorityMailbox) sched.Priority {
	for i := range x.boxes {
		if e == &x.boxes[i] {
			return sched.Priority(i)
		}
	}
	panic("freerun: a priority mailbox of another unit")
}

// withPriorityMailboxes returns the unit's priority mailboxes, and makes them if there are none
// (L0).
func (u *unit) withPriorityMailboxes(w *worker) *priorityMailboxes {
	x := u.extend().forSeveral()
	if all := x.mailboxes.Load(); all != nil {
		return all
	}
	all := &priorityMailboxes{unit: u}
	all.claim.Reserve()
	for i := range all.boxes {
		all.boxes[i].Kind = &priorityMailboxVtable
		all.boxes[i].all = all
	}
	all.token.unit = u
	all.token.become(&tokenVtable)
	if !x.mailboxes.CompareAndSwap(nil, all) {
		return x.mailboxes.Load()
	}
	u.enqueue(w, &all.token)
	return all
}

// box returns the mailbox of a priority, and where its finished message is kept.
func (x *priorityMailboxes) box(p sched.Priority) (*mailbox.Queue, **message) {
	if p == sched.Normal {
		return &x.unit.mailbox, &x.unit.finished
	}
	return &x.boxes[p].mailbox, &x.boxes[p].finished
}

// mayReuse reports whether the message of the running operation may be used again at once. If not,
// it keeps the message for later.
func (x *priorityMailboxes) mayReuse(m *message) bool {
	box, finished := x.box(x.running)
	if box.Reusable(&m.Node) {
		return true
	}
	*finished = m
	return false
}

// runPriorityMailbox runs the task of a priority mailbox.
func runPriorityMailbox(p *sched.Processor, t *sched.Task) {
	e := priorityMailboxOf(t)
	if w := workerOf(p); w.watched {
		w.unit.Store(e.all.unit)
	}
	if x := e.all; x.claim.Claim(uint8(x.priorityOf(e))) {
		x.serve(p)
	}
}

// runNormal runs the unit's own task, once the unit has priority mailboxes.
func (x *priorityMailboxes) runNormal(p *sched.Processor) {
	if x.claim.Join(uint8(sched.Normal)) || x.claim.Claim(uint8(sched.Normal)) {
		x.serve(p)
	}
}

// serve runs messages of a unit of which the caller is the holder, until all mailboxes are given
// up or others must have their turn.
func (x *priorityMailboxes) serve(p *sched.Processor) {
	w, u, h := workerOf(p), x.unit, p.Host()
	for ran := 0; ; {
		pr, m, later := x.next(w)
		if later {
			x.yield(w)
			return
		}
		if m == nil {
			return
		}
		if p, w = u.runOne(p, w, h, m); p == nil {
			return
		}
		if ran++; ran >= limitAt(pr) || p.GiveWay(pr) {
			x.yield(w)
			return
		}
	}
}

// next returns the next message, and its priority. It returns nil if there is none: the caller no
// longer owns the unit then. It returns nil and later as unit.next does.
func (x *priorityMailboxes) next(w *worker) (pr sched.Priority, m *message, later bool) {
	if m := x.unit.ext.Load().left.Take(); m != nil {
		x.running = m.priority()
		return x.running, m, false
	}
	for {
		pr, some := x.pick()
		if !some {
			return pr, nil, false
		}
		box, finished := x.box(pr)
		if m, later := dequeue(w, box, finished); m != nil || later {
			if m != nil {
				x.turns.Ran(1)
			}
			return pr, m, later
		}
		x.claim.Drop(uint8(pr))
	}
}

// yield queues the mailboxes that the caller, the holder, has behind the others of their
// priorities.
func (x *priorityMailboxes) yield(w *worker) {
	held := x.claim.Release()
	for pr := range sched.Priority(priorities) {
		switch {
		case held&claim.Bit(uint8(pr)) == 0:
		case pr == sched.Normal:
			w.queueBack(x.unit.rt, pr, &x.unit.Task)
		default:
			w.queueBack(x.unit.rt, pr, &x.boxes[pr].Task)
		}
	}
}

// hasMore reports whether there are messages for the unit beside the one that runs. A message that
// comes during the look may be missed, or not. Owner only.
func (u *unit) hasMore() bool {
	x := u.priorityMailboxes()
	if x == nil {
		return !u.mailbox.IsEmpty()
	}
	for p := range sched.Priority(priorities) {
		if box, _ := x.box(p); !box.IsEmpty() && (p != sched.Normal || !x.hasTokenOnly()) {
			return true
		}
	}
	return false
}

// hasTokenOnly reports whether the mailbox of Normal has nothing but the token. Holder only.
func (x *priorityMailboxes) hasTokenOnly() bool {
	box := &x.unit.mailbox
	return box.IsNewest(&x.token.Node) && box.Peek(mostTurned) == &x.token.Node && box.IsNewest(&x.token.Node)
}

func discardPriorityMailbox(t *sched.Task) {
	w := priorityMailboxOf(t).all.unit.rt.discarder()
	w.failPriorityMailbox(priorityMailboxOf(t))
	w.discardOrphans()
}

// limitAt is how many messages of a priority a processor runs before other units get their turn.
func limitAt(p sched.Priority) int {
	if sched.Normal.Before(p) {
		return drainLimitLow
	}
	return drainLimit
}
