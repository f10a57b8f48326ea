package rivals

import (
	"math/bits"
	"sync/atomic"
)

// NBBS is the non-blocking buddy system of Marotta, Ianni, Scarselli, Pellegrini and Quaglia, CLUSTER 2018: status bits on the way from a block to the root, of which
// the lowest of each four levels are stored, eight fields in a word. A search goes through the nodes of a level.
type NBBS struct {
	least, most uint
	words       []atomic.Uint64 // by bunch
	first       []int           // bunch of each row of bunches
	cursors     cursors
}

// Of a field: the right and left half are taken; are being given back; the whole is taken.
const (
	takenRight = 1 << iota
	takenLeft
	coalRight
	coalLeft
	occupied
	busy  = occupied | takenLeft | takenRight
	field = 5
	rows  = 4
)

// NewNBBS returns a space of 1<<most bytes; most-least+1 should be a multiple of 4.
func NewNBBS(most, least uint) *NBBS {
	b := &NBBS{least: least, most: most}
	n := 0
	for depth := uint(0); depth <= most-least; depth += rows {
		b.first = append(b.first, n)
		n += 1 << depth
	}
	b.words = make([]atomic.Uint64, n)
	return b
}

// locate returns where the node at a depth with that index is: the word, and its fields.
func (b *NBBS) locate(depth uint, index uint64) (row int, bunch uint64, fields uint64) {
	row = int(depth / rows)
	in := depth % rows
	bunch = index >> in
	span := uint64(8) >> in
	begin := (index & (1<<in - 1)) * span
	return row, bunch, (1<<(span*field) - 1) << (begin * field)
}

const each = 1 | 1<<5 | 1<<10 | 1<<15 | 1<<20 | 1<<25 | 1<<30 | 1<<35

func (b *NBBS) word(row int, bunch uint64) *atomic.Uint64 {
	return &b.words[uint64(b.first[row])+bunch]
}

// tryAlloc returns 0 if it took the node, and otherwise by how many levels the subtree is larger in which nothing is to be had.
func (b *NBBS) tryAlloc(depth uint, index uint64) (ok bool, up uint) {
	row, bunch, fields := b.locate(depth, index)
	w := b.word(row, bunch)
	for {
		v := w.Load()
		if v&fields != 0 {
			return false, 0
		}
		if w.CompareAndSwap(v, v|fields&(each*busy)) {
			break
		}
	}
	for r, at := row, bunch; r > 0; r-- {
		shift, left, parent := up1(at)
		pw := b.word(r-1, parent)
		for {
			v := pw.Load()
			if v>>shift&occupied != 0 {
				b.free(row, bunch, fields, r)
				return false, depth - uint(r)*rows
			}
			n := v&^(coal(left)<<shift) | taken(left)<<shift
			if n == v || pw.CompareAndSwap(v, n) {
				break
			}
		}
		at = parent
	}
	return true, 0
}

func up1(bunch uint64) (shift uint64, left bool, parent uint64) {
	return (bunch >> 1 & 7) * field, bunch&1 == 0, bunch >> rows
}

func coal(left bool) uint64 {
	if left {
		return coalLeft
	}
	return coalRight
}

func taken(left bool) uint64 {
	if left {
		return takenLeft
	}
	return takenRight
}

// others reports whether something in v besides what mask has is taken and not being given back.
func others(v, mask uint64) bool {
	l, r, o := v&(each*takenLeft)&^(v>>2), v&(each*takenRight)&^(v>>2), v&(each*occupied)
	return (l|r|o)&^mask != 0
}

// free gives back fields of a word, and marks up to row top.
func (b *NBBS) free(row int, bunch, fields uint64, top int) {
	w := b.word(row, bunch)
	if !others(w.Load(), fields) {
		for r, at := row, bunch; r > top; r-- {
			shift, left, parent := up1(at)
			old := b.word(r-1, parent).Or(coal(left) << shift)
			if others(old, (taken(left)|coal(left))<<shift) {
				break
			}
			at = parent
		}
	}
	for {
		v := w.Load()
		if w.CompareAndSwap(v, v&^fields) {
			if v&^fields != 0 {
				return
			}
			break
		}
	}
	for r, at := row, bunch; r > top; r-- {
		shift, left, parent := up1(at)
		pw := b.word(r-1, parent)
		for {
			v := pw.Load()
			if v>>shift&coal(left) == 0 {
				return
			}
			n := v &^ ((coal(left) | taken(left)) << shift)
			if pw.CompareAndSwap(v, n) {
				if n&(each*busy) != 0 {
					return
				}
				break
			}
		}
		at = parent
	}
}

// Alloc hands out a block.
func (b *NBBS) Alloc(order uint) (uint64, bool) {
	depth := b.most - order
	c, p := b.cursors.mine()
	n := uint64(1) << depth
	from := c.at[order].Load()
	if from == 0 {
		from = n / 16 * uint64(p)
	}
	begin := from % n
	for i, end := begin, n; ; {
		if i >= end {
			if end == begin || begin == 0 {
				return 0, false
			}
			i, end = 0, begin
			continue
		}
		row, bunch, fields := b.locate(depth, i)
		v := b.word(row, bunch).Load()
		if v&fields&(each*busy) != 0 || v&fields != 0 {
			i++
			if in := depth % rows; in == 3 { // the next free field of the word, if there is one
				f := (v | v>>1 | v>>2 | v>>3 | v>>4) & each >> ((i & 7) * field)
				if i&7 != 0 {
					skip := uint64(bits.TrailingZeros64(^f&each)) / field
					i += min(skip, 8-i&7)
				}
			}
			continue
		}
		ok, up := b.tryAlloc(depth, i)
		if ok {
			c.at[order].Store(i + 1)
			return i << order, true
		}
		i = (i>>up + 1) << up
	}
}

// Free takes a block back.
func (b *NBBS) Free(offset uint64, order uint) bool {
	row, bunch, fields := b.locate(b.most-order, offset>>order)
	if b.word(row, bunch).Load()&fields != fields&(each*busy) {
		return false
	}
	b.free(row, bunch, fields, 0)
	return true
}
