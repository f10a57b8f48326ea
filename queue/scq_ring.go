package queue

import (
	"math/bits"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// scqRing is a first-in-first-out queue of small numbers, the indices, of which there are at most
// half as many as it has slots. scq.go has its invariants, scq_entry.go the layout of its words.
type scqRing struct {
	// immutable
	layout scqLayout
	turn   uint8 // bits by which a place is rotated left: neighbours lie on different lines
	back   uint8 // bits by which it is rotated right
	ahead  uint8 // how much further than needed limit is moved, so that few enqueuers have to
	slots  []atomics.Release[uint64]

	_    pad.Line
	head atomics.Uint64 // the next position for a dequeuer
	_    pad.Line
	tail atomics.Uint64 // the next position for an enqueuer; it may be behind head for a while
	_    pad.Line

	// written seldom
	limit  atomics.Uint64 // past all positions with an index whose enqueuer has returned
	barred atomics.Uint64 // enqueuers must not use the positions before it; never beyond head
	_      pad.Line
}

// wordsPerLine is how many slots lie between neighbours where there are enough.
const wordsPerLine = pad.Size / 8

// init makes r a ring for capacity indices, a power of two. It holds the first held of them. Its
// positions begin at start, or a little before.
func (r *scqRing) init(capacity int, start uint64, held int) {
	slots := uint64(2 * capacity)
	r.layout = scqLayout(slots - 1)
	r.back = uint8(bits.Len64(slots) - 1)
	if slots > wordsPerLine {
		r.turn = uint8(bits.Len(wordsPerLine) - 1)
		r.back -= r.turn
	}
	r.ahead = uint8(min(capacity/2, 64))
	r.slots = make([]atomics.Release[uint64], slots)
	start = r.layout.lap(start)
	for p := start; p != start+slots; p++ {
		if i := p - start; i < uint64(held) {
			r.slot(p).Store(r.layout.full(p, i))
		} else {
			r.slot(p).Store(r.layout.unused(p))
		}
	}
	r.head.Store(start)
	r.tail.Store(start + uint64(held))
	r.limit.Store(start + uint64(held))
	r.barred.Store(start)
}

// slot returns the slot of position p.
func (r *scqRing) slot(p uint64) *atomics.Release[uint64] {
	place := p & uint64(r.layout)
	place = (place<<(r.turn&63) | place>>(r.back&63)) & uint64(r.layout) // &63 spares a comparison
	return &r.slots[place]
}

// enqueue puts index at the end. An index must not be enqueued again before it was dequeued.
func (r *scqRing) enqueue(index uint64) {
	for {
		p := r.tail.Add(1) - 1 // L1, if L2 succeeds
		slot := r.slot(p)
		for {
			w := slot.Load()
			// In this order: see I4.
			if r.layout.find(w, p) != scqOpen || int64(r.barred.Load()-p) > 0 {
				break
			}
			if slot.CompareAndSwap(w, r.layout.full(p, index)) { // L2
				r.cover(p)
				return
			}
		}
	}
}

// cover lets dequeuers learn of an index at p: limit is past p when it returns.
func (r *scqRing) cover(p uint64) {
	for {
		l := r.limit.Load()
		if int64(l-p) > 0 || r.limit.CompareAndSwap(l, p+1+uint64(r.ahead)) { // L3
			return
		}
	}
}

// dequeue takes the first index. It reports false if there was none at some instant of the call. It
// looks at the slot before it takes a position: a call that comes to an empty ring then writes
// nothing and does not get into the way of enqueuers, and one that finds an index need not look at
// limit and tail.
func (r *scqRing) dequeue() (index uint64, ok bool) {
	for {
		h := r.head.Load()
		slot := r.slot(h)
		w := slot.Load()
		here := r.layout.find(w, h) >= scqHere
		if !here && r.emptyFrom(h) {
			return 0, false
		}
		p := r.head.Add(1) - 1 // L4
		if here && p == h {    // so w is not void: only the dequeuer at p makes it so
			slot.Store(r.layout.void(p))
			return r.layout.index(w), true
		}
		if index, ok = r.take(p); ok {
			return index, true
		}
		if t := r.tail.Load(); int64(t-p) <= 1 { // L6
			r.catchUp(t, p+1)
			return 0, false
		}
	}
}

// emptyFrom reports whether there was no index at h, which head had reached before, or after h.
func (r *scqRing) emptyFrom(h uint64) bool {
	return int64(r.limit.Load()-h) <= 0 || int64(r.tail.Load()-h) <= 0 // L5, L6
}

// take takes the index at p, which no other dequeuer was given. If there is none, it sees to it
// that none will come.
func (r *scqRing) take(p uint64) (index uint64, ok bool) {
	slot := r.slot(p)
	for barred := false; ; {
		w := slot.Load()
		switch r.layout.find(w, p) {
		case scqHere:
			slot.Store(r.layout.void(p))
			return r.layout.index(w), true
		case scqOpen:
			if slot.CompareAndSwap(w, r.layout.void(p)) {
				return 0, false
			}
		case scqHeld:
			if barred {
				return 0, false
			}
			r.bar(p)
			barred = true // and look again: see I4
		case scqGone:
			return 0, false
		}
	}
}

// bar keeps enqueuers from p and the positions before it.
func (r *scqRing) bar(p uint64) {
	for {
		b := r.barred.Load()
		if int64(b-p) > 0 || r.barred.CompareAndSwap(b, p+1) {
			return
		}
	}
}

// catchUp moves tail from t to head, or to where head was at least, so that enqueuers need not try
// the positions in between.
func (r *scqRing) catchUp(t, h uint64) {
	for int64(t-h) < 0 && !r.tail.CompareAndSwap(t, h) {
		h = r.head.Load()
		t = r.tail.Load()
	}
}

// len returns how many positions there are between head and tail: the number of indices, unless a
// call lost its position to another; and 0 if there was none.
func (r *scqRing) len() int {
	h := r.head.Load()
	if r.emptyFrom(h) {
		return 0
	}
	return int(min(max(0, int64(r.tail.Load()-h)), int64(len(r.slots)/2)))
}
