package buddy

import (
	"math/bits"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

const (
	// leafDepth0 and leafDepth are how often chunks of level 0, and of those above, are divided.
	// fan is the number of leaves of a chunk above level 0.
	leafDepth0 = 5
	leafDepth  = 4
	fan        = 1 << leafDepth
)

// level is all chunks of one size. Only its words and lists change.
type level struct {
	words     []atomics.Uint64
	listed    []listing // chunks, by the class of the largest free block that each may have
	leaf      uint      // the order of a leaf
	leafDepth uint
	nodes     uint64 // the nodes of a chunk, but for the chunk itself
	chunks    uint64 // the chunk bits of leaves; none on level 0
	top       bool   // there is one chunk, which is part of no other
}

// newLevel returns a level all chunks of which are free, and belong to the level above.
func newLevel(number int, leaf uint, chunks int) level {
	l := level{words: make([]atomics.Uint64, chunks), leaf: leaf, leafDepth: leafDepth, top: chunks == 1}
	l.nodes, l.chunks = nodesTo(leafDepth)&^3, -bit(chunkBit+fan)
	if number == 0 {
		l.leafDepth, l.nodes, l.chunks = leafDepth0, nodesTo(leafDepth0)&^3, 0
	}
	if !l.top {
		l.listed = make([]listing, l.leafDepth)
		for class := range l.listed {
			l.listed[class] = newListing(chunks)
		}
	}
	return l
}

// order returns the order of a chunk.
func (l *level) order() uint { return l.leaf + l.leafDepth }

// depth returns how often a chunk is divided to come to a block of that order.
func (l *level) depth(order uint) uint { return l.order() - order }

// place returns the chunk and the node of the block of that order at an offset from the beginning
// of the space.
func (l *level) place(offset uint64, order uint) (i int, n uint) {
	depth := l.depth(order)
	return int(offset >> l.order()), 1<<depth | uint(offset>>order)&(1<<depth-1)
}

// offset returns where node n of chunk i begins.
func (l *level) offset(i int, n uint) uint64 {
	depth := depthOf(n)
	return uint64(i)<<l.order() | uint64(n-1<<depth)<<(l.order()-depth)
}

// free returns the free blocks of w. A chunk that is not divided has none, unless it is the
// topmost.
func (l *level) free(w uint64) uint64 {
	if w == 0 && l.top {
		return bit(root)
	}
	return free(w, l.nodes)
}

// class returns the class of the largest free block of w; ok is false if nothing is free. A leaf is
// of class 0, two leaves are of class 1.
func (l *level) class(w uint64) (class uint, ok bool) {
	f := l.free(w)
	if f == 0 {
		return 0, false
	}
	return l.leafDepth - depthOf(uint(bits.TrailingZeros64(f))), true
}

// list makes sure that a search for the largest free block of chunk i finds it. w is the new word
// of the chunk.
func (l *level) list(i int, w uint64) {
	if l.top {
		return
	}
	if class, ok := l.class(w); ok {
		l.listed[class].insert(i)
	}
}

// relist takes chunk i off a list on which it had no block, and puts it on the right one.
func (l *level) relist(i int, class uint) {
	l.listed[class].remove(i)
	l.list(i, l.words[i].Load())
}

// with returns w after node n, which is free, was handed out for a block of 1<<order bytes. If that
// is smaller than a leaf, n becomes a chunk, which the caller divides.
func (l *level) with(w uint64, n, order uint) uint64 {
	w = with(w, n)
	if order < l.leaf {
		w |= bit(n + chunkBit)
	}
	return w
}

// want says what to hand out of a chunk: a block of 1<<order bytes, or the leaf that it is in, at
// the beginning of a block at depth that is all free.
type want struct{ depth, order uint }

// take hands out the wanted block of chunk i, but no part of a free block that is larger than those
// at depth largest. ok is false if chunk i has no such block.
func (l *level) take(i int, largest uint, what want, last bool) (n uint, ok bool) {
	word := &l.words[i]
	for {
		w := word.Load()
		n, ok = fitting(l.free(w), largest, what.depth, last)
		if !ok {
			return 0, false
		}
		n <<= (l.depth(max(what.order, l.leaf)) - what.depth) & 7
		if word.CompareAndSwap(w, l.with(w, n, what.order)) { // L1
			return n, true
		}
	}
}

// takeSome hands out blocks of that depth of chunk i, at most as many as offsets has room for, and
// returns how many.
func (l *level) takeSome(i int, depth uint, last bool, offsets []uint64) (count int) {
	word := &l.words[i]
	for {
		w := word.Load()
		taken := w
		for count = 0; count < len(offsets); count++ {
			n, ok := fitting(l.free(taken), 0, depth, last)
			if !ok {
				break
			}
			taken = with(taken, n)
			offsets[count] = l.offset(i, n)
		}
		if count == 0 || word.CompareAndSwap(w, taken) { // L1
			return count
		}
	}
}

// giveBack takes node n of chunk i back and returns the word that is left, 0 if all is free. It
// changes nothing, and ok is false, if that block is not handed out: as a chunk if chunk is true,
// otherwise as it is.
func (l *level) giveBack(i int, n uint, chunk bool) (left uint64, ok bool) {
	word := &l.words[i]
	for {
		w := word.Load()
		if !handedOut(w, n, l.leafDepth) || l.isChunk(w, n) != chunk {
			return 0, false
		}
		left = without(w, n)
		if chunk {
			left &^= bit(n + chunkBit)
		}
		if word.CompareAndSwap(w, left) { // L3
			return left, true
		}
	}
}

// isChunk reports whether node n of w is a leaf that is divided on the level below.
func (l *level) isChunk(w uint64, n uint) bool { return isSet(w&l.chunks, n+chunkBit) }

// search hands out the wanted block of any listed chunk. It divides a larger block only after it
// has found no smaller one. It begins at chunk from, and gives up when more than patience chunks
// did not have the block that their list promised.
func (l *level) search(from int, what want, last bool, patience int) (i int, n uint, ok bool) {
	if l.top {
		n, ok = l.take(0, 0, what, last)
		return 0, n, ok
	}
	for class := l.leafDepth - what.depth; class < l.leafDepth; class++ {
		listed := &l.listed[class]
		for again, at, end := false, from, len(l.words); ; {
			i, ok = listed.next(at)
			if !ok || i >= end {
				if again {
					break
				}
				again, at, end = true, 0, from
				continue
			}
			if n, ok = l.take(i, l.leafDepth-class, what, last); ok {
				return i, n, true
			}
			l.relist(i, class)
			if patience--; patience < 0 {
				return 0, 0, false
			}
			at = i + 1
		}
	}
	return 0, 0, false
}
