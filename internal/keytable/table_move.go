package keytable

import (
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

const (
	mostMoved   = 16 // units that a call moves beside its own
	mostChecked = 64 // units that a call looks at when all were given to calls
)

// writable returns the level in which the slot of a hash is to be changed, and what the slot leads
// to, which is not frozen. If the entries of the level move, it moves those of the hash, and
// some others.
func (t *Table[K]) writable(l *level, hash uint64) (*level, *place) {
	for {
		p := l.slot(hash).Load() // L3
		n := l.next.Load()
		if n == nil && !p.frozen() {
			return l, p
		}
		if n == nil {
			n = l.next.Load() // the slot was frozen after that
		}
		t.move(l, n, int(hash>>(max(l.shift, n.shift)&63)))
		t.help(l, n)
		l = n
	}
}

// consider begins to move all to a larger or a smaller level if there are too many entries for the
// current one, or too few.
func (t *Table[K]) consider() {
	l := t.current.Load()
	if l.next.Load() != nil {
		return
	}
	// A directory is large, and one goroutine is enough to make it. If that one does not go on,
	// another follows when the level is even fuller, or emptier, by an eighth.
	n, slots, bits, tries := int64(l.len()), int64(len(l.slots)), 64-l.shift, l.tries.Load()
	switch {
	case n*8 > slots*fullest*(8+tries) && bits < deepestBits:
		bits++
	case n*8 < slots*sparsest*(8-min(tries, 7)) && bits > fewestBits:
		bits--
	default:
		return
	}
	if l.tries.CompareAndSwap(tries, tries+1) {
		t.resize(l, bits)
	}
}

// resize begins to move all entries of a level to a new one.
func (t *Table[K]) resize(l *level, bits uint) {
	if t.current.Load() == l && l.next.Load() == nil {
		l.next.CompareAndSwap(nil, newLevel(bits, l.seed, l.counts))
	}
}

// units returns how many units move from l to n. A unit is a slot of the smaller one, and the two
// slots of the larger one that have the same hashes.
func units(l, n *level) int { return min(len(l.slots), len(n.slots)) }

// help moves some units of a level, and makes the next one the current one if all have moved.
func (t *Table[K]) help(l, n *level) {
	all := units(l, n)
	if int(l.claimed.Load()) < all {
		from := int(l.claimed.Add(mostMoved)) - mostMoved
		to := min(from+mostMoved, all)
		for i := from; i < to; i++ {
			t.move(l, n, i)
		}
		if to < all {
			return
		}
	}
	// A call to which units were given may not have moved them yet, or never will.
	from := int(l.checked.Load())
	to := min(from+mostChecked, all)
	for i := from; i < to; i++ {
		t.move(l, n, i)
	}
	if from < all {
		l.checked.CompareAndSwap(int64(from), int64(to))
	}
	if to == all {
		t.current.CompareAndSwap(l, n)
	}
}

// move moves a unit.
func (t *Table[K]) move(l, n *level, i int) {
	switch {
	case t.test != nil && t.test.move != nil:
		t.test.move(l, n, i)
	case l.shift > n.shift:
		t.split(l, n, i)
	default:
		t.merge(l, n, i)
	}
}

// frozen freezes a slot and returns what it leads to.
func frozen(s *atomics.Pointer[place]) *place {
	for {
		p := s.Load()
		if p.frozen() {
			return p
		}
		if s.CompareAndSwap(p, p.freeze()) { // L4
			return p.freeze()
		}
	}
}

// leave lets a frozen slot, which leads to p, no longer keep entries.
func leave(s *atomics.Pointer[place], p *place) {
	if p != gone {
		s.CompareAndSwap(p, gone)
	}
}

// split moves the entries of slot i to two slots.
func (t *Table[K]) split(l, n *level, i int) {
	s := &l.slots[i]
	p := frozen(s)
	if p == gone {
		return
	}
	low, high := &n.slots[2*i], &n.slots[2*i+1]
	if low.Load() == nil || high.Load() == nil {
		var halves [2]maker
		for b := p.bucket(); b != nil; b = b.next() {
			for i := range b.len() {
				e := *b.at(i)
				h := t.hash(l, (*Entry[K])(e).Key)
				halves[h>>(n.shift&63)&1].add(b.tag(i), e)
			}
		}
		low.CompareAndSwap(nil, placeOf(halves[0].bucket()))  // L5
		high.CompareAndSwap(nil, placeOf(halves[1].bucket())) // L5
	}
	leave(s, p)
}

// merge moves the entries of two slots to slot i.
func (t *Table[K]) merge(l, n *level, i int) {
	lows, highs := &l.slots[2*i], &l.slots[2*i+1]
	low, high := frozen(lows), frozen(highs)
	if s := &n.slots[i]; low != gone && high != gone && s.Load() == nil {
		s.CompareAndSwap(nil, placeOf(joined(low.bucket(), high.bucket()))) // L5
	}
	leave(lows, low)
	leave(highs, high)
}

// joined returns a bucket with the entries of two.
func joined(low, high *bucket) *bucket {
	if low == &none {
		return high
	}
	if high == &none {
		return low
	}
	var all maker
	for _, b := range [...]*bucket{low, high} {
		for ; b != nil; b = b.next() {
			for i := range b.len() {
				all.add(b.tag(i), unsafe.Pointer(*b.at(i)))
			}
		}
	}
	return all.bucket()
}
