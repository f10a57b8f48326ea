package hazard

// Source:     F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an Efficient Lock-Free
//             Scheduler, JSSPP 2015, figure 5, after M. Michael, Hazard Pointers: Safe Memory Reclamation for Lock-Free
//             Objects, IEEE TPDS 15(6), 2004. Ours: words stay set, so the searcher's own record is skipped; Screen;
//             RELEASE, which gives a node back to the memory manager, is to drop it.
// Sketch:     Acquire(n): search all words but the caller's own for n; where word w of record r names it,
//             exchange n with r.pooled[w] and begin again with what came out; nil ends it too
// Invariants: I1 a node is in at most one place: one pool, one caller, one list. I2 a pooled node was named by the word beside it when
//             it was put there; NOT invariant: that it still is. I3 a pool that holds a node once holds some node ever after.
// Progress:   wait-free as long as words stand still: what is put beside a word is named by it, the nodes are different, so no
//             pool is met twice, and after at most 2N exchanges there is a node that no word names, or an empty pool. A
//             further exchange takes a word that was set meanwhile, so an operation that has gone on: lock-free. A holder
//             that stalls holds up nobody.
// Linearize:  the taking of a node from a pool at the swap
// Publish:    what the holder did with a node is done before its word changes, which is read here before the node is used again
// ABA/memory: this is what excludes it. At most 2N nodes are pooled; a node is new only if an empty pool was met, and by I3
//             that happens once for each: at most 2N times in the life of the domain.
// Cost:       2N loads, of N cache lines that their holders write
// Checked by: TestAcquire…, TestExplore…, and the tests of those who use it

// Acquire returns a node that begins a new life: n if no other record's word names it, and otherwise one that was in a pool,
// which n takes the place of; nil if that pool was empty. n is retired and the caller's alone, or nil. The record is the
// caller's own.
func (d *Domain[N]) Acquire(own *Record[N], n *N) *N {
	for n != nil {
		r, w := d.search(own, n)
		if r == nil {
			return n
		}
		n = r.pooled[w].Swap(n)
	}
	return nil
}

// search returns a word that names n, and is not the caller's own.
func (d *Domain[N]) search(own *Record[N], n *N) (*Record[N], int) {
	for _, r := range *d.records.Load() {
		if r == own {
			continue
		}
		for w := range r.words {
			if r.words[w].names(n) {
				return r, w
			}
		}
	}
	return nil, 0
}

// Screen is what all words but one's own named, so condensed that it can tell of most nodes that no word named them. It serves who has
// many nodes to acquire: one look at the words for all of them, instead of one for each.
type Screen[N any] struct {
	set [1 << screenBits / 64]uint64
}

const (
	screenBits = 10
	golden     = 0x9E3779B97F4A7C15 // 2^64 divided by the golden ratio: spreads addresses out
)

// Look fills an empty screen. The nodes that it is going to be asked about must be retired by now. The record is the caller's own.
func (s *Screen[N]) Look(d *Domain[N], own *Record[N]) {
	if exact {
		return
	}
	for _, r := range *d.records.Load() {
		if r == own {
			continue
		}
		for w := range r.words {
			bit := bitOf(r.words[w].address())
			s.set[bit/64] |= 1 << (bit % 64)
		}
	}
}

// Passes reports whether certainly no word named the node when Look was called: then it is acquired. Otherwise [Domain.Acquire] must be
// asked.
func (s *Screen[N]) Passes(n *N) bool {
	if exact {
		return false
	}
	bit := bitOf(addressOf(n))
	return s.set[bit/64]&(1<<(bit%64)) == 0
}

func bitOf(address uint64) uint64 { return address * golden >> (64 - screenBits) }
