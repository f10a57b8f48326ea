package buddy

import "math/bits"

// A word is the whole state of one chunk: a binary tree of blocks, bit n for node n. Node 1 is the
// chunk, the halves of node n are 2n and 2n+1, and bit 0 is not used. A chunk of level 0 is divided
// five times, into leaves 32 to 63. Chunks above are divided four times, into leaves 16 to 31; each
// of their leaves has a second bit, 32 higher, the chunk bit. It says that the leaf is a chunk of
// the level below and divided there.
//
//	bit n   halves       the block of node n is
//	0       -            free, or inside a block that is free or handed out
//	1       both 0       handed out as a whole; a leaf with its chunk bit: a chunk of its own
//	1       one is 1     divided
//
// To coalesce is to have no divided block with two free halves. Here that is a matter of notation:
// two free halves of a block have no other state than the free block. So a word that is not 0 has
// bit 1, and a bit is set only below bits that are set. A free block that is as large as it can be
// has bit 0, and its buddy has bit 1.
//
// The functions of this file are all the transitions. Each is a single compare-and-swap for its
// callers.

const (
	// even has the bits of the left halves.
	even = 0x5555_5555_5555_5555
	// chunkBit is the distance from a leaf's bit to its chunk bit, on levels above 0.
	chunkBit = 32
	// root is the node of the chunk itself.
	root = 1
)

// bit returns bit n.
func bit(n uint) uint64 { return 1 << (n & 63) }

// isSet reports whether bit n of w is set.
func isSet(w uint64, n uint) bool { return w>>(n&63)&1 != 0 }

// nodesTo returns the set of nodes that are divided off at most depth times.
func nodesTo(depth uint) uint64 { return ^uint64(0) >> ((64 - 2<<depth) & 63) }

// depthOf returns how often the chunk is divided to come to node n.
func depthOf(n uint) uint { return uint(bits.Len(n)) - 1 }

// free returns the free blocks of w, each as large as it can be, as the set of their nodes. nodes
// are those of the level, without the chunk itself, which has no buddy.
func free(w, nodes uint64) uint64 { return ^w & (w>>1&even | w&even<<1) & nodes }

// fitting returns a node at that depth in the set of free blocks: part of one of the smallest
// blocks that suffice, and of these the first, or the last. It divides no block that is larger than
// those at depth largest. ok is false if no block suffices.
func fitting(free uint64, largest, depth uint, last bool) (n uint, ok bool) {
	free &= nodesTo(depth) &^ (bit(1<<largest) - 1)
	if free == 0 {
		return 0, false
	}
	n = uint(bits.Len64(free)) - 1
	deepest := depthOf(n)
	if !last {
		n = uint(bits.TrailingZeros64(free >> bit(deepest)))
		n += 1 << deepest
	}
	return n << (depth - deepest), true
}

// with returns w after node n, which is free, was handed out. The blocks that it is divided off
// stay free. There is no branch for the processor to guess: the bits on the way up are set anyhow
// from the free block on.
func with(w uint64, n uint) uint64 {
	return w | (bit(n)|bit(n>>1)|bit(n>>2)|bit(n>>3)|bit(n>>4)|bit(n>>5))&^1
}

// without returns w after node n, which was handed out, was given back, and coalesced with its
// buddy if that is free, and so on. It is 0 if all is free.
func without(w uint64, n uint) uint64 {
	left := w &^ bit(n)
	for up, coalesces := uint64(0), uint64(1); up < leafDepth0; up++ {
		coalesces &^= w >> (n&63 ^ 1) // buddy by buddy; the root's is bit 0, cleared from then on
		n >>= 1
		left &^= coalesces << (n & 63)
	}
	return left
}

// handedOut reports whether node n is handed out as a whole. It is true for leaves that are chunks,
// too.
func handedOut(w uint64, n, leafDepth uint) bool {
	return isSet(w, n) && (n>>leafDepth != 0 || w>>(2*n&63)&3 == 0)
}

// inFree reports whether node n is free, or inside a free block.
func inFree(w uint64, n, leafDepth uint) bool {
	if isSet(w, n) {
		return false
	}
	for n >>= 1; n > 0; n >>= 1 {
		if isSet(w, n) {
			return !handedOut(w, n, leafDepth)
		}
	}
	return false
}
