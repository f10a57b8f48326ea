package queue

import "github.com/freerun-go/freerun/internal/sync/atomics"

// turnSlot is a slot of a ring that several goroutines use on one side. Its word says whose turn it is: which position's, and
// whether that one's enqueuer or its dequeuer. The turns of a slot of position p, in a ring of size slots:
//
//	2p             whoever takes p may fill it
//	2p+1           it holds item p, and whoever takes p on the other side may empty it
//	2(p+size)      the next round
//
// The value belongs to whoever has taken the position and whose turn it is, until he sets the next turn. (Turns that count by one, as in
// the ring that Vyukov published, cannot tell 2p+1 from the next round if there is one slot.)
type turnSlot[T any] struct {
	turn  atomics.Release[uint64]
	value atomics.Plain[T]
}

// toFill and toEmpty are the turns of a position.
func toFill(position uint64) (turn uint64)  { return 2 * position }
func toEmpty(position uint64) (turn uint64) { return 2*position + 1 }

// newTurns returns a ring for capacity items, for the queue that maker makes, whose slots are to be filled from position start on.
func newTurns[T any](maker string, capacity int, start uint64) ring[turnSlot[T]] {
	r := newRing[turnSlot[T]](maker, capacity)
	for p := start; p != start+r.size(); p++ {
		r.at(p).turn.Store(toFill(p))
	}
	return r
}

// ready returns the first position from p on, after at most n, whose slot has not the turn that it is to have. The others keep theirs
// until their side has moved past them; a whole round later a slot has another turn, so there are no more than a round.
func ready[T any](r ring[turnSlot[T]], p uint64, n int, turn func(position uint64) uint64) uint64 {
	for n > 0 && r.at(p).turn.Load() == turn(p) {
		p, n = p+1, n-1
	}
	return p
}
