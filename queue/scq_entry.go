package queue

// A position in a ring is a number that only grows, and a slot of a ring is one word. With 2^s
// slots:
//
//	           bits above s-1                            bits s-1…0
//	position   lap: how many times round the ring        place in the ring
//	word       lap of the position that used it last     index, all ones is none
//
// Laps are compared by the sign of their difference, so they may wrap around, which takes 2^64
// positions: 584 years at a billion a second. A call would have to sleep half as long, between two
// of its steps, to take an earlier lap for a later one.
//
//	a call at p finds   lap     index   and makes of it
//	scqOpen             older   none    full(p), the enqueuer, by CAS, if p is not barred:
//	                                      its index is in the ring
//	                                    void(p), the dequeuer, by CAS: the enqueuer at p
//	                                      will come too late
//	scqHeld             older   some    nothing: a dequeuer of an earlier lap is slow.
//	                                      The dequeuer bars p, so that the enqueuer at p
//	                                      comes too late even if the slot is open by then
//	scqHere             p's     some    void(p), the dequeuer, by a store, because no other
//	                                      call may write now: it has the index
//	                    p's     none    nothing, the enqueuer: it comes too late
//	scqGone             later           nothing: the call comes too late

// scqLayout says how the words of a ring are divided. It is the number of slots, a power of two,
// less 1.
type scqLayout uint64

// scqFind is the kind of entry that a call finds in the slot of its position.
type scqFind uint8

const (
	scqOpen scqFind = iota // of an earlier lap, without an index
	scqHeld                // of an earlier lap, with an index that has not been taken yet
	scqHere                // of the lap of the position
	scqGone                // of a later lap
)

// lap returns the lap of a position or a word, in the bits that it has there.
func (l scqLayout) lap(p uint64) uint64 { return p &^ uint64(l) }

// index returns the index in w.
func (l scqLayout) index(w uint64) uint64 { return w & uint64(l) }

// none is the index that stands for none.
func (l scqLayout) none() uint64 { return uint64(l) }

// find says what w is to a call at position p.
func (l scqLayout) find(w, p uint64) scqFind {
	switch ahead := int64(l.lap(w) - l.lap(p)); {
	case ahead == 0:
		return scqHere
	case ahead > 0:
		return scqGone
	case l.index(w) == l.none():
		return scqOpen
	}
	return scqHeld
}

// full is the word of a slot that holds index for the dequeuer at p.
func (l scqLayout) full(p, index uint64) uint64 { return l.lap(p) | index }

// void is the word of a slot that no longer holds anything for the dequeuer at p.
func (l scqLayout) void(p uint64) uint64 { return l.lap(p) | l.none() }

// unused is the word of the slot of p before its first use.
func (l scqLayout) unused(p uint64) uint64 { return l.void(p - uint64(l) - 1) }
