package rivals

import (
	"math/bits"
	"sync/atomic"
)

// LLFree is the allocator of Wrenger, Rommel, Halbuer, Dietrich and Lohmann, USENIX ATC 2023: bit fields of chunks of 512 leaves with counters, trees of 32 chunks with
// counters, and a tree reserved for each processor. Blocks have up to 4 chunks.
type LLFree struct {
	least, most uint
	fields      []atomic.Uint64 // eight to a chunk; a bit is a leaf that is taken
	chunks      []atomic.Uint64 // four counters of 16 bits: free leaves
	trees       []atomic.Uint64 // free leaves, and whether it is reserved
	local       [16]struct {
		v atomic.Uint64 // tree+1 and free leaves
		_ [120]byte
	}
}

const (
	chunkLeaves = 512
	treeChunks  = 32
	reserved    = 1 << 32
)

// NewLLFree returns a space of 1<<most bytes.
func NewLLFree(most, least uint) *LLFree {
	leaves := 1 << (most - least)
	l := &LLFree{least: least, most: most}
	l.fields = make([]atomic.Uint64, leaves/64)
	l.chunks = make([]atomic.Uint64, leaves/chunkLeaves/4)
	l.trees = make([]atomic.Uint64, leaves/chunkLeaves/treeChunks)
	for i := range l.chunks {
		l.chunks[i].Store(chunkLeaves * 0x0001_0001_0001_0001)
	}
	for i := range l.trees {
		l.trees[i].Store(chunkLeaves * treeChunks)
	}
	return l
}

// Alloc hands out a block.
func (l *LLFree) Alloc(order uint) (uint64, bool) { return l.alloc(order, true) }

func (l *LLFree) alloc(order uint, again bool) (uint64, bool) {
	p := number()
	need := uint64(1) << (order - l.least)
	local := &l.local[p].v
	if v := local.Load(); v != 0 && v&(reserved-1) >= need && local.CompareAndSwap(v, v-need) {
		tree := int(v>>32) - 1
		if at, ok := l.lower(tree, order-l.least); ok {
			return at << l.least, true
		}
		l.giveTree(tree, need)
	}
	// What came back to the tree meanwhile.
	if v := local.Load(); v != 0 {
		tree := int(v>>32) - 1
		if t := l.trees[tree].Load(); t&reserved != 0 && t&(reserved-1) > 0 && l.trees[tree].CompareAndSwap(t, reserved) {
			if free := v&(reserved-1) + t&(reserved-1); free >= need && local.CompareAndSwap(v, v+t&(reserved-1)-need) {
				if at, ok := l.lower(tree, order-l.least); ok {
					return at << l.least, true
				}
				l.giveTree(tree, need)
			} else {
				l.giveTree(tree, t&(reserved-1))
			}
		}
	}
	// Another tree: those first that are used in part and not reserved, then any, then those of others.
	start := 0
	v := local.Load()
	if v != 0 {
		start = int(v>>32) - 1
	} else {
		start = len(l.trees) / 16 * p
	}
	for pass := range 3 {
		for k := range len(l.trees) {
			tree := (start + k) % len(l.trees)
			t := l.trees[tree].Load()
			free := t & (reserved - 1)
			if free < need || pass < 2 && t&reserved != 0 || pass == 0 && (free > chunkLeaves*treeChunks*7/8 || free < chunkLeaves*treeChunks/8) {
				continue
			}
			if pass == 2 {
				if !l.trees[tree].CompareAndSwap(t, t-need) {
					continue
				}
				if at, ok := l.lower(tree, order-l.least); ok {
					return at << l.least, true
				}
				l.trees[tree].Add(need)
				continue
			}
			if !l.trees[tree].CompareAndSwap(t, reserved) {
				continue
			}
			at, ok := l.lower(tree, order-l.least)
			if !ok {
				l.unreserve(tree, free)
				continue
			}
			old := local.Load()
			if !local.CompareAndSwap(old, uint64(tree+1)<<32|(free-need)) {
				l.unreserve(tree, free-need)
			} else if old != 0 {
				l.unreserve(int(old>>32)-1, old&(reserved-1))
			}
			return at << l.least, true
		}
	}
	if !again {
		return 0, false
	}
	// What processors have reserved.
	for i := range l.local {
		if v := l.local[i].v.Swap(0); v != 0 {
			l.unreserve(int(v>>32)-1, v&(reserved-1))
		}
	}
	return l.alloc(order, false)
}

func (l *LLFree) unreserve(tree int, free uint64) {
	for {
		t := l.trees[tree].Load()
		if l.trees[tree].CompareAndSwap(t, t&(reserved-1)+free) {
			return
		}
	}
}

func (l *LLFree) giveTree(tree int, n uint64) { l.trees[tree].Add(n) }

// lower takes a block of so many leaves in a tree.
func (l *LLFree) lower(tree int, order uint) (uint64, bool) {
	need := uint64(1) << order
	if order >= 9 {
		span := uint64(1) << (order - 9) // chunks
		for g := range treeChunks / 4 {
			w := &l.chunks[tree*treeChunks/4+g]
			for k := uint64(0); k < 4; k += span {
				mask := (uint64(1)<<(16*span) - 1) << (16 * k)
				full := uint64(chunkLeaves*0x0001_0001_0001_0001) & mask
				for v := w.Load(); v&mask == full; v = w.Load() {
					if w.CompareAndSwap(v, v&^mask) {
						return (uint64(tree*treeChunks+g*4) + k) * chunkLeaves, true
					}
				}
			}
		}
		return 0, false
	}
	for c := range treeChunks {
		chunk := tree*treeChunks + c
		w, shift := &l.chunks[chunk/4], uint(chunk%4*16)
		taken := false
		for v := w.Load(); v>>shift&0xFFFF >= need; v = w.Load() {
			if w.CompareAndSwap(v, v-need<<shift) {
				taken = true
				break
			}
		}
		if !taken {
			continue
		}
		if at, ok := l.set(chunk, order); ok {
			return uint64(chunk)*chunkLeaves + at, true
		}
		w.Add(need << shift)
	}
	return 0, false
}

var aligned = [7]uint64{^uint64(0), 0x5555555555555555, 0x1111111111111111, 0x0101010101010101, 0x0001000100010001, 0x0000000100000001, 1}

// set finds so many leaves of a chunk and takes them.
func (l *LLFree) set(chunk int, order uint) (uint64, bool) {
	f := l.fields[chunk*8 : chunk*8+8]
	if order <= 6 {
		for i := range f {
			for {
				v := f[i].Load()
				z := v
				for o := range order {
					z |= z >> (1 << o)
				}
				z = ^z & aligned[order]
				if z == 0 {
					break
				}
				at := uint(bits.TrailingZeros64(z))
				if f[i].CompareAndSwap(v, v|(1<<(1<<order)-1)<<at) {
					return uint64(i*64) + uint64(at), true
				}
			}
		}
		return 0, false
	}
	span := 1 << (order - 6)
next:
	for i := 0; i < 8; i += span {
		for k := range span {
			if !f[i+k].CompareAndSwap(0, ^uint64(0)) {
				for k--; k >= 0; k-- {
					f[i+k].Store(0)
				}
				continue next
			}
		}
		return uint64(i * 64), true
	}
	return 0, false
}

// Free takes a block back.
func (l *LLFree) Free(offset uint64, order uint) bool {
	order -= l.least
	at := offset >> l.least
	need := uint64(1) << order
	chunk := int(at / chunkLeaves)
	tree := chunk / treeChunks
	switch {
	case order >= 9:
		span := uint64(1) << (order - 9)
		l.chunks[chunk/4].Add(chunkLeaves * 0x0001_0001_0001_0001 & (1<<(16*span) - 1) << (chunk % 4 * 16))
	case order > 6:
		for k := range uint64(1) << (order - 6) {
			l.fields[at/64+k].Store(0)
		}
		l.chunks[chunk/4].Add(need << (chunk % 4 * 16))
	default:
		mask := uint64(1<<(1<<order)-1) << (at % 64)
		for {
			v := l.fields[at/64].Load()
			if v&mask != mask {
				return false
			}
			if l.fields[at/64].CompareAndSwap(v, v&^mask) {
				break
			}
		}
		l.chunks[chunk/4].Add(need << (chunk % 4 * 16))
	}
	p := number()
	local := &l.local[p].v
	if v := local.Load(); v>>32 == uint64(tree+1) && local.CompareAndSwap(v, v+need) {
		return true
	}
	l.trees[tree].Add(need)
	return true
}
