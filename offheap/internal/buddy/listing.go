package buddy

import (
	"math/bits"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Source:     a bitmap with bitmaps of its words that are not 0, as in the trees of van Emde Boas
//             with words for the small universes; ours.
// Sketch:     rows[0]  0100…0000  0000…0000  1000…0010      bit i: i is in the set
//             rows[1]  1 0 1 …                              bit j: word j of the row below is not 0
//             insert: set the bit if it is not set; the same in each row above, to the last
//             remove: clear the bit; while that leaves the word 0: clear its bit in the row
//                     above, look at the word again, and if it is not 0 insert that bit again
// Invariants: I1 once all calls have returned, a bit of a row above is set if the word below is not
//             0.
//             NOT invariant: that the word below is not 0 if the bit is set; next passes over such
//             bits.
// Progress:   wait-free on machines with an atomic and and or; lock-free where these are loops.
// Linearize:  no line as a whole. next may miss a number whose insert has not returned, and one
//             that is hidden by the remove of a neighbour that has not returned. The remover then
//             checks whether it was right (level.relist), so no chunk stays hidden.
// ABA/memory: bits of fixed words.
// Cost:       insert: a load for each row if the bits are set, as they mostly are. remove: a
//             read-modify-write. next: one or two loads for each row.
// Checked by: TestListing…, TestExploreListing…

// listing is a set of small numbers, from 0 to a limit, that finds the next larger one in a few
// steps.
type listing struct {
	rows [][]atomics.Uint64
}

const wordBits = 6

// newListing returns an empty set of numbers below n.
func newListing(n int) listing {
	var l listing
	for {
		n = (n + 1<<wordBits - 1) >> wordBits
		l.rows = append(l.rows, make([]atomics.Uint64, n))
		if n <= 1 {
			return l
		}
	}
}

// insert adds i. It looks at all rows even if i is in the set: the call that added i may not have
// come so far.
func (l *listing) insert(i int) { l.insertFrom(0, i) }

func (l *listing) insertFrom(row, i int) {
	for ; row < len(l.rows); row++ {
		word, mask := &l.rows[row][i>>wordBits], uint64(1)<<(i&(1<<wordBits-1))
		if word.Load()&mask == 0 {
			word.Or(mask)
		}
		i >>= wordBits
	}
}

// remove takes i out.
func (l *listing) remove(i int) {
	for row := 0; ; row++ {
		word, mask := &l.rows[row][i>>wordBits], uint64(1)<<(i&(1<<wordBits-1))
		left := word.And(^mask) &^ mask
		if row > 0 && l.rows[row-1][i].Load() != 0 {
			l.insertFrom(row, i)
			return
		}
		if left != 0 || row == len(l.rows)-1 {
			return
		}
		i >>= wordBits
	}
}

// next returns the smallest number in the set that is at least from; ok is false if there is none.
func (l *listing) next(from int) (i int, ok bool) {
	for row := 0; row < len(l.rows); {
		at := from >> wordBits
		if at >= len(l.rows[row]) {
			return 0, false
		}
		found := l.rows[row][at].Load() >> (from & (1<<wordBits - 1))
		if found == 0 {
			row, from = row+1, at+1
			continue
		}
		from += bits.TrailingZeros64(found)
		if row == 0 {
			return from, true
		}
		row, from = row-1, from<<wordBits // if that word is 0 now, the search goes on behind it
	}
	return 0, false
}
