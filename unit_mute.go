package freerun

import (
	"slices"
	"unsafe"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// A unit whose operation has sent to a full mailbox is muted: its own mailbox stays owned, and in
// no queue, until the mute is released. unit_limit.go argues that it will be. A unit that has sent
// to several full mailboxes is muted for one after another.
//
// A muted unit's own mailbox may fill up, and mute those that send to it: so the pressure goes on
// from unit to unit. In a circle of units that would be a standstill, so a mute that closes one is
// released at once.

// mute stands for one time that a unit is muted. It lies in the list muted of the full mailbox.
type mute struct {
	mailbox.Node
	unit     *unit
	on       *unit   // whose mailbox it is
	rest     []*unit // for whose mailboxes the unit may have to be muted afterwards
	released atomics.Bool
}

// press notes that the operation that runs here has sent to the full mailbox of to. Free operations
// and readers are never muted, so nothing is noted for them.
func (w *worker) press(to *unit) {
	if w.processor == nil {
		return
	}
	m := w.active.Load().current
	if m != nil && !m.free() && !m.vtable().shared && m.unit.rt == w.rt && !slices.Contains(w.pressed, to) {
		w.pressed = append(w.pressed, to)
	}
}

// muteForPressed mutes the unit, whose mailbox the caller owns, for the full mailboxes to which its
// operation has sent. It returns true if it did: the caller no longer owns the unit then. It
// returns false if the unit goes on.
func (u *unit) muteForPressed(w *worker) bool {
	full := w.pressed
	w.pressed = nil
	return u.muteFor(full)
}

// muteFor is muteForPressed for the mailboxes of the given units: it mutes the unit for the first
// of them that is still above its limit, and notes those behind it for afterwards.
func (u *unit) muteFor(full []*unit) bool {
	for len(full) > 0 && (!full[0].ext.Load().limit.mutes() || full[0].waitsFor(u)) {
		full = full[1:]
	}
	if len(full) == 0 {
		return false
	}
	b, h := full[0].ext.Load().limit, &mute{unit: u, on: full[0], rest: full[1:]}
	u.extend().held.Store(h) // H1
	b.muted.Add(&h.Node)     // H2
	if !b.mutes() {          // H3
		b.releaseAll()
	}
	if h.on.waitsFor(u) { // H4
		h.pass()
	}
	return true
}

// mostHeld is how many units may be muted one for another.
const mostHeld = 100

// waitsFor reports whether u is other, or is muted for other's mailbox, directly or through others.
// It also says so where more are muted one for another than need be.
func (u *unit) waitsFor(other *unit) bool {
	for range mostHeld {
		if u == other {
			return true
		}
		x := u.ext.Load()
		if x == nil {
			return false
		}
		h := x.held.Load()
		if h == nil {
			return false
		}
		u = h.on
	}
	return true
}

// mutes reports whether senders that go above the limit are muted.
func (b *mailboxLimit) mutes() bool { return b.filling().over() && !b.stalled.Load() }

// releaseAll releases all units that are muted for b. The caller has found a reason, but may come
// late with it: the mailbox may have been filled again since, by units that are in the list now. So
// if the reason is gone, the mutes are put back, and the goroutine with the next reason finds them.
func (b *mailboxLimit) releaseAll() {
	for {
		all := b.muted.TakeAll()
		if all == nil {
			return
		}
		again := b.mutes()
		for n := all; n != nil; {
			h := (*mute)(unsafe.Pointer(n))
			n = n.Next()
			h.Link(nil)
			switch {
			case !again:
				h.pass()
			case !h.released.Load():
				b.muted.Add(&h.Node)
			}
		}
		if !again || b.mutes() {
			return
		}
	}
}

// pass lets the unit go on, unless it is to be muted for another mailbox. Only the first call has
// an effect.
func (h *mute) pass() {
	if h.end() && !h.unit.muteFor(h.rest) {
		h.unit.goOn(h.unit.rt.detachedWorker())
	}
}

// end makes the caller the unit's owner, and returns true. It does so for the first caller only.
func (h *mute) end() bool {
	if !h.released.CompareAndSwap(false, true) {
		return false
	}
	h.unit.ext.Load().held.CompareAndSwap(h, nil)
	return true
}
