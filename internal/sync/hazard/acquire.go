package hazard

// Source:     F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an
//             Efficient Lock-Free Scheduler, JSSPP 2015, figure 5, after M. Michael, Hazard
//             Pointers: Safe Memory Reclamation for Lock-Free Objects, IEEE TPDS 15(6), 2004. Ours:
//             words stay set, so the searcher's own record is skipped; Screen; in place of RELEASE,
//             which gives a node back to the memory manager, the node is dropped and collected.
// Sketch:     Acquire(n): search all words but the caller's own for n;
//             where word w of record r names it, exchange n with r.pooled[w] and begin again with
//             what came out; nil ends the search too
// Invariants: I1 A node is in at most one place: one pool, one caller, one list.
//             I2 A pooled node was named by the word beside it when it was put there.
//             Not invariant: that the word still names it.
//             I3 A pool that has held a node holds some node ever after.
// Progress:   wait-free while words stand still: the word beside a pool names the node put there,
//             and the nodes differ, so no pool is met twice; after at most 2N exchanges there is a
//             node that no word names, or an empty pool. A further exchange takes a word that was
//             set meanwhile, thus an operation that has gone on: lock-free. A holder that stalls
//             holds up no other.
// Linearize:  the taking of a node from a pool at the swap
// Publish:    a holder's accesses to a node come before the change of its word, and the searcher
//             reads that word before the node is used again
// ABA/memory: this is what excludes ABA. At most 2N nodes are pooled. A node is new only if an
//             empty pool was met, which by I3 happens once for each: at most 2N times in the life
//             of the domain.
// Cost:       2N loads, of N cache lines that their holders write
// Checked by: TestAcquire…, TestExplore…, and the tests of the packages that use it

// Acquire returns a node that begins a new life: n, if no other record's word names it, or else a
// node from a pool, where n takes its place. It returns nil if that pool was empty. n is nil, or
// retired and the caller's alone. own is the caller's record.
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

// search returns a word that names n and is not the caller's own.
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

// Screen condenses the words of all records but the caller's own. For most nodes that no word
// names, it can tell so. A caller with many nodes to acquire thus reads the words once, instead of
// once for each node.
type Screen[N any] struct {
	set [1 << screenBits / 64]uint64
}

const (
	screenBits = 10
	golden     = 0x9E3779B97F4A7C15 // 2^64 divided by the golden ratio: spreads addresses out
)

// Look fills an empty screen. The nodes of later calls of Passes must have been retired before
// Look. own is the caller's record.
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

// Passes reports true if certainly no word named the node during Look: then the node is acquired.
// Otherwise the caller must call [Domain.Acquire].
func (s *Screen[N]) Passes(n *N) bool {
	if exact {
		return false
	}
	bit := bitOf(addressOf(n))
	return s.set[bit/64]&(1<<(bit%64)) == 0
}

func bitOf(address uint64) uint64 { return address * golden >> (64 - screenBits) }
