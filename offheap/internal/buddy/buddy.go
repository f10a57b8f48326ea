// Package buddy divides a space into blocks of powers of two, splits and coalesces them, without locks.
package buddy

import (
	"math/bits"
	_ "sync/atomic" // see internal/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/atomics"
)

// Bits of a node: what is handed out below it, and what is about to be merged.
const (
	occupied      = 1 << 4
	leftOccupied  = 1 << 1
	rightOccupied = 1 << 0
	leftMerging   = 1 << 3
	rightMerging  = 1 << 2
	busy          = occupied | leftOccupied | rightOccupied
)

// Space is a space of offsets. All methods are lock-free; any goroutine.
type Space struct {
	size   uint64
	least  uint
	height uint             // of the tree: its root is level 0, leaves are at level height
	nodes  []atomics.Uint32 // 1 is the root; the children of n are 2n and 2n+1
	orders []atomics.Uint32 // of the block that begins at a leaf, if it is handed out: order+1
	start  []atomics.Uint32 // where the next search of a level begins
}

// New returns a space of the next power of two of size, with blocks of 1<<least bytes at least.
func New(size uint64, least uint) *Space {
	order := uint(bits.Len64(max(size, 1<<least) - 1))
	s := &Space{size: 1 << order, least: least, height: order - least}
	s.nodes = make([]atomics.Uint32, 2<<s.height)
	s.orders = make([]atomics.Uint32, 1<<s.height)
	s.start = make([]atomics.Uint32, s.height+1)
	return s
}

func level(n uint64) uint { return uint(bits.Len64(n)) - 1 }

// Alloc returns a block of 1<<order bytes, or false if there is none.
func (s *Space) Alloc(order uint) (offset uint64, ok bool) {
	order = max(order, s.least)
	if order > s.least+s.height {
		return 0, false
	}
	l := s.least + s.height - order
	first, end := uint64(1)<<l, uint64(2)<<l
	begin := first + uint64(s.start[l].Load())%first
	for _, part := range [2][2]uint64{{begin, end}, {first, begin}} {
		for n := part[0]; n < part[1]; {
			if s.nodes[n].Load() != 0 {
				n++
				continue
			}
			at := s.try(n)
			if at == 0 {
				s.start[l].Store(uint32(n + 1 - first))
				leaf := (n - first) << (s.height - l)
				s.orders[leaf].Store(uint32(order) + 1)
				return leaf << s.least, true
			}
			n = (at + 1) << (l - level(at))
		}
	}
	return 0, false
}

// try takes node n, and returns 0, or the node that was in the way.
func (s *Space) try(n uint64) uint64 {
	if !s.nodes[n].CompareAndSwap(0, busy) {
		return n
	}
	for at := n; at > 1; {
		child := at
		at >>= 1
		for {
			v := s.nodes[at].Load()
			if v&occupied != 0 {
				s.release(n, level(child))
				return at
			}
			side := uint32(child & 1)
			w := v&^(leftMerging>>side) | leftOccupied>>side
			if s.nodes[at].CompareAndSwap(v, w) {
				break
			}
		}
	}
	return 0
}

// release gives node n back and tells its ancestors below level bound.
func (s *Space) release(n uint64, bound uint) {
	for runner := n; level(runner) > bound; {
		parent, side := runner>>1, uint32(runner&1)
		var v uint32
		for {
			v = s.nodes[parent].Load()
			if s.nodes[parent].CompareAndSwap(v, v|leftMerging>>side) {
				break
			}
		}
		if v&(rightOccupied<<side) != 0 && v&(rightMerging<<side) == 0 {
			break
		}
		runner = parent
	}
	s.nodes[n].Store(0)
	for at := n; level(at) > bound; {
		child, side := at, uint32(at&1)
		at >>= 1
		for {
			v := s.nodes[at].Load()
			if v&(leftMerging>>side) == 0 {
				return
			}
			w := v &^ (leftMerging>>side | leftOccupied>>side)
			if s.nodes[at].CompareAndSwap(v, w) {
				if w&(rightOccupied<<side) != 0 {
					return
				}
				break
			}
		}
		_ = child
	}
}

// Free gives a block back. It reports false, and has changed nothing, if no block of that order begins there.
func (s *Space) Free(offset uint64, order uint) bool {
	leaf := offset >> s.least
	if offset >= s.size || leaf<<s.least != offset || !s.orders[leaf].CompareAndSwap(uint32(order)+1, 0) {
		return false
	}
	l := s.least + s.height - order
	s.release(uint64(1)<<l+leaf>>(s.height-l), 0)
	return true
}
