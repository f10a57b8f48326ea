package deque

// age is the word that thieves compare and swap in an ABP deque. Its low half is an index, which
// picks the slot; its high half is a stamp.
//
// Arora, Blumofe and Plaxton step the stamp whenever they set the index back to 0. Here the index
// is never set back: it wraps around, and then carries into the stamp. So the word as a whole only
// grows, and repeats after 2⁶⁴ takes. A stamp that is stepped by each emptied deque repeats after
// 2³².
type age uint64

func (a age) index() uint32 { return uint32(a) }

// taken returns the age after the value at a's index has been taken.
func (a age) taken() age { return a + 1 }

// before returns the number of values from a's index up to index i. The two must be at most 2³¹
// apart.
func (a age) before(i uint32) int { return int(int32(i - a.index())) }
