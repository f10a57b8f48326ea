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

// mute stands for one time that a unit is muted. It lies in the list muted of the full mailbox.
type mute struct {
	mailbox.Node
	unit     *unit
	rest     []*mailboxLimit // for which the unit may have to be muted afterwards
	released atomics.Bool
}

// press notes that the operation that runs here has sent to a full mailbox. Free operations and
// readers are never muted, so nothing is noted for them.
func (w *worker) press(b *mailboxLimit) {
	if w.processor == nil {
		return
	}
	m := w.active.Load().current
	if m != nil && !m.free() && !m.vtable().shared && m.unit.rt == w.rt && !slices.Contains(w.pressed, b) {
		w.pressed = append(w.pressed, b)
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

// muteFor is muteForPressed for the given mailboxes: it mutes the unit for the first of them that
// is still above its limit, and notes those behind it for afterwards.
func (u *unit) muteFor(full []*mailboxLimit) bool {
	x := u.extend()
	for len(full) > 0 && (x.limit == full[0] || !full[0].mutes()) {
		full = full[1:]
	}
	if len(full) == 0 || x.isOver() {
		return false
	}
	b, h := full[0], &mute{unit: u, rest: full[1:]}
	x.held.Store(h)      // H1
	b.muted.Add(&h.Node) // H2
	if x.isOver() {      // H3
		h.release()
	}
	if !b.mutes() { // H4
		b.releaseAll()
	}
	return true
}

func (x *unitExt) isOver() bool { return x.limit != nil && x.limit.filling().over() }

// mutes reports whether senders that go above the limit are muted.
func (b *mailboxLimit) mutes() bool { return b.filling().over() && !b.stalled.Load() }

// letGo releases the unit if it is muted.
func (x *unitExt) letGo() {
	if h := x.held.Load(); h != nil {
		h.release()
	}
}

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

// release lets the unit go on. Only the first of release and pass has an effect.
func (h *mute) release() {
	if h.end() {
		h.unit.goOn(h.unit.rt.detachedWorker())
	}
}

// pass lets the unit go on, unless it is to be muted for another mailbox. Only the first of
// release and pass has an effect.
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
