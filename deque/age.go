package deque

// age is the word that thieves compare and swap in an ABP deque: an index, which picks the slot, in the low half, and a stamp in the
// high half. Arora, Blumofe and Plaxton step the stamp whenever they set the index back to 0. Here the index goes round
// instead of back, and carries into the stamp when it does: so the word as a whole only grows, and needs 2⁶⁴ takes to be
// the same again, where a stamp stepped by each emptied deque would need 2³².
type age uint64

func (a age) index() uint32 { return uint32(a) }

// taken returns the age of the deque once the value at a's index has been taken.
func (a age) taken() age { return a + 1 }

// before returns how many values there are from a's index up to index i, if i is not more than 2³¹ away.
func (a age) before(i uint32) int { return int(int32(i - a.index())) }
