package queue

import (
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// balance is the word by which the two sides of a [Synchronous] are matched, and which says whether
// it is closed. Above zero it is the number of dequeuers' cells, below zero that of enqueuers'
// cells, that are promised to no call, and are in their ring or about to be. A call that finds a
// surplus of the other side is promised one of its cells at that instant, and the two wait for no
// third call. Each transition is one function. The zero value is open, without waiters.
type balance struct{ word atomics.Int64 }

const (
	balanceClosed = 1
	balanceOne    = 2
)

// match is the result of joining one side.
type match uint8

const (
	matchNone     match = iota // no cell is promised, and the caller is counted
	matchPeer                  // the caller is promised a cell of the other side
	matchClosed                // the queue is closed, and the caller is not counted
	matchDeclined              // no peer is there; the caller wants one at once: not counted
)

// join counts the caller in: with a step of -balanceOne on the side of the enqueuers, of balanceOne
// on that of the dequeuers. If there is no match, the caller must put a cell into the ring of its
// side, or leave. With atOnce the caller is counted only if there is a match.
func (b *balance) join(step int64, atOnce bool) match {
	for {
		w := b.word.Load()
		if w&balanceClosed != 0 {
			return matchClosed
		}
		met := matchNone
		if w*step < 0 {
			met = matchPeer
		} else if atOnce {
			return matchDeclined
		}
		if b.word.CompareAndSwap(w, w+step) {
			return met
		}
	}
}

// leave counts the caller out again. The caller has joined with that step without a match, and has
// not put its cell into the ring. leave fails if by now every cell on that side has been promised
// to a call of the other.
func (b *balance) leave(step int64) bool {
	for {
		w := b.word.Load()
		if (w&^balanceClosed)*step <= 0 {
			return false
		}
		if b.word.CompareAndSwap(w, w-step) {
			return true
		}
	}
}

// close closes the queue, so that no call joins from now on, and promises the caller all cells that
// are promised to no call: dequeuers' if the number is positive, enqueuers' if it is negative.
func (b *balance) close() (cells int64) {
	for {
		w := b.word.Load()
		if b.word.CompareAndSwap(w, balanceClosed) {
			return (w &^ balanceClosed) / balanceOne
		}
	}
}

// closed reports whether the queue is closed.
func (b *balance) closed() bool { return b.word.Load()&balanceClosed != 0 }
