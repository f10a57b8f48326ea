package queue

import "github.com/freerun-go/freerun/internal/sync/atomics"

// turnSlot is a slot of a ring that several goroutines share on one side at least. Its word says
// whose turn it is: of which position, and whether of that position's enqueuer or dequeuer. In a
// ring of size slots the slot of position p has these turns:
//
//	2p          the goroutine that claims p as an enqueuer may fill it
//	2p+1        it holds item p; the goroutine that claims p as a dequeuer may empty it
//	2(p+size)   the next round
//
// The value belongs to the goroutine that has claimed the position and whose turn it is, until it
// stores the next turn. (In the ring that Vyukov published turns count by one. With a single slot,
// 2p+1 and the next round would be the same.)
//
// Each call writes out how it fills or empties a slot: methods of turnSlot for that were not
// inlined in programs, and copied wide items once more.
type turnSlot[T any] struct {
	turn  atomics.Release[uint64]
	value atomics.Plain[T]
}

// toFill and toEmpty are the turns of a position.
func toFill(position uint64) (turn uint64)  { return 2 * position }
func toEmpty(position uint64) (turn uint64) { return 2*position + 1 }

// newTurns returns a ring for capacity items whose slots are to be filled from position start on.
// maker is the name of the New function, for the text of panics.
func newTurns[T any](maker string, capacity int, start uint64) ring[turnSlot[T]] {
	r := newRing[turnSlot[T]](maker, capacity)
	for p := start; p != start+r.size(); p++ {
		r.at(p).turn.Store(toFill(p))
	}
	return r
}

// ready returns the first position from p on whose slot does not have the given turn, or p+n if all
// n have it. Slots that have the turn keep it until their side has moved past them. A whole round
// later a slot has another turn, so ready passes no more than a round.
func ready[T any](r *ring[turnSlot[T]], p uint64, n int, turn func(position uint64) uint64) uint64 {
	for n > 0 && r.at(p).turn.Load() == turn(p) {
		p, n = p+1, n-1
	}
	return p
}
