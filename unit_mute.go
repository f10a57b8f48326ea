package freerun

import (
	"slices"
	"unsafe"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// A unit whose operation has sent to a full mailbox is held back: its own mailbox stays owned, and in no queue, until the hold is
// released. unit_limit.go has the argument why it will be. If it has sent to several, it is held for one after another.

// hold is one time that a unit is held back.
type mute struct {
	mailbox.Node
	unit     *unit
	rest     []*mailboxLimit // for which it may have to be held afterwards
	released atomics.Bool
}

// press notes that the operation that runs here has sent to a full mailbox.
func (s *worker) press(b *mailboxLimit) {
	if s.processor == nil {
		return
	}
	l := s.active.Load().current
	if l != nil && !l.free() && !l.vtable().looks && l.unit.rt == s.rt && !slices.Contains(s.pressed, b) {
		s.pressed = append(s.pressed, b)
	}
}

// holdBack holds the unit, whose mailbox the caller owns, back because of the full mailboxes that its operation has sent to, and returns
// true: then the unit is the caller's no longer. It returns false if the unit goes on.
func (u *unit) holdBack(s *worker) bool {
	full := s.pressed
	s.pressed = nil
	return u.holdFor(full)
}

// holdFor is holdBack for the first of these mailboxes that is still above its limit, and those behind it afterwards.
func (u *unit) holdFor(full []*mailboxLimit) bool {
	x := u.extend()
	for len(full) > 0 && (x.limit == full[0] || !full[0].holdsBack()) {
		full = full[1:]
	}
	if len(full) == 0 || x.isOver() {
		return false
	}
	b, h := full[0], &mute{unit: u, rest: full[1:]}
	x.held.Store(h)      // H1
	b.holds.Add(&h.Node) // H2
	if x.isOver() {      // H3
		h.release()
	}
	if !b.holdsBack() { // H4
		b.releaseAll()
	}
	return true
}

func (x *unitExt) isOver() bool { return x.limit != nil && x.limit.filling().over() }

// holdsBack says whether those who go above the limit are held back.
func (b *mailboxLimit) holdsBack() bool { return b.filling().over() && !b.stalled.Load() }

// letGo releases the unit if it is held.
func (x *unitExt) letGo() {
	if h := x.held.Load(); h != nil {
		h.release()
	}
}

// releaseAll releases all units that are held because of b. The caller has found a reason, but may come late with it: then those are here
// too that have filled the mailbox once more since. So they are put back if there is no reason any more, and whoever has the next one finds them.
func (b *mailboxLimit) releaseAll() {
	for {
		all := b.holds.TakeAll()
		if all == nil {
			return
		}
		again := b.holdsBack()
		for n := all; n != nil; {
			h := (*mute)(unsafe.Pointer(n))
			n = n.Next()
			h.Link(nil)
			switch {
			case !again:
				h.pass()
			case !h.released.Load():
				b.holds.Add(&h.Node)
			}
		}
		if !again || b.holdsBack() {
			return
		}
	}
}

// release lets the unit go on, once.
func (h *mute) release() {
	if h.end() {
		h.unit.goOn(h.unit.rt.detachedWorker())
	}
}

// pass lets the unit go on, once, unless it is to be held for another mailbox.
func (h *mute) pass() {
	if h.end() && !h.unit.holdFor(h.rest) {
		h.unit.goOn(h.unit.rt.detachedWorker())
	}
}

// end makes the unit the caller's, once.
func (h *mute) end() bool {
	if !h.released.CompareAndSwap(false, true) {
		return false
	}
	h.unit.ext.Load().held.CompareAndSwap(h, nil)
	return true
}
