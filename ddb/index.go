package ddb

// index leads from the hashes of keys to the numbers of their entries. A look-up reads one line of
// the processor's cache, usually. Plain sequential code.
//
// Source:     extendible hashing, R. Fagin, J. Nievergelt, N. Pippenger, H. R. Strong, TODS 1979.
// Our pages are hash tables with linear probing, and a removed slot is closed by moving others back
// (D. Knuth, TAOCP 3, 6.4, algorithm R), so there are no marks of removed slots. It grows by a page
// at a time: no key waits until a large table is copied.
// Invariants:
// The upper depth bits of a tag select a page of the directory; the pages that differ only in bits
// beyond page.depth are one page.
// A slot is 0, or it has a tag above the number of an entry. No slot between a tag's home and its
// slot is 0.
// page.used is the number of slots that are not 0, at most mostUsed.
// Checked by: TestIndexAgainstModel, TestShardAgainstModel
type index struct {
	directory []*page // nil while empty
	depth     uint
}

// pageSlots is chosen so that a page has 4 KiB, for which Go's allocator has a size.
const pageSlots = 511

// mostUsed is how many slots of a page are used before it is split: four fifths, as the length of a
// search grows with the square of the inverse of what is free.
const mostUsed = pageSlots * 4 / 5

type page struct {
	used  uint32
	depth uint32
	slots [pageSlots]uint64
}

// tagOf is the part of a hash that an index keeps. Server.shardOf uses the upper bits of another
// hash.
func tagOf(hash uint64) uint32 { return uint32(hash) }

// homeOf returns where the search for a tag begins. The tags of a page have their upper bits in
// common; the multiplication brings the lower ones up.
func homeOf(tag uint32) int { return int(uint64(tag*0x9E3779B1) * pageSlots >> 32) }

// after returns the slot behind a slot.
func after(i int) int {
	if i++; i == pageSlots {
		return 0
	}
	return i
}

// page returns the page of a tag, nil if the index is empty.
func (x *index) page(tag uint32) *page {
	if len(x.directory) == 0 {
		return nil
	}
	return x.directory[uint64(tag)>>(32-x.depth)]
}

// search returns the number of an entry with the tag, and where to go on: a search that gives at
// back finds the next one. It begins at homeOf(tag), and ends with 0.
func (p *page) search(tag uint32, at int) (id uint32, next int) {
	for i := at; p.slots[i] != 0; i = after(i) {
		if slot := p.slots[i]; uint32(slot>>32) == tag {
			return uint32(slot), after(i)
		}
	}
	return 0, at
}

// add puts in an entry that is not there.
func (x *index) add(tag, id uint32) {
	if x.directory == nil {
		x.directory = []*page{{}}
	}
	p := x.page(tag)
	for p.used == mostUsed && x.split(p, tag) {
		p = x.page(tag)
	}
	p.put(uint64(tag)<<32 | uint64(id))
}

func (p *page) put(slot uint64) {
	if p.used == pageSlots-1 {
		panic("ddb: too many keys with one hash")
	}
	i := homeOf(uint32(slot >> 32))
	for p.slots[i] != 0 {
		i = after(i)
	}
	p.slots[i] = slot
	p.used++
}

// deepest bounds the directory. So many pages are 64 GiB, for more keys than entries have numbers.
const deepest = 24

// split makes two pages of the page of a tag, and reports whether it could.
func (x *index) split(p *page, tag uint32) bool {
	if p.depth == deepest {
		return false
	}
	if uint(p.depth) == x.depth {
		doubled := make([]*page, 2*len(x.directory))
		for i, q := range x.directory {
			doubled[2*i], doubled[2*i+1] = q, q
		}
		x.directory, x.depth = doubled, x.depth+1
	}
	halves := [2]*page{{depth: p.depth + 1}, {depth: p.depth + 1}}
	for _, slot := range p.slots {
		if slot != 0 {
			halves[slot>>(63-p.depth)&1].put(slot)
		}
	}
	// The places of p, which are all with its upper depth bits.
	n := 1 << (x.depth - uint(p.depth))
	begin := int(uint64(tag)>>(32-x.depth)) &^ (n - 1)
	for i := range n {
		x.directory[begin+i] = halves[2*i/n]
	}
	return true
}

// remove takes out an entry that is there.
func (x *index) remove(tag, id uint32) {
	p, slot := x.page(tag), uint64(tag)<<32|uint64(id)
	hole := homeOf(tag)
	for p.slots[hole] != slot {
		hole = after(hole)
	}
	// A slot moves back unless its home lies behind the hole.
	for i := after(hole); p.slots[i] != 0; i = after(i) {
		home := homeOf(uint32(p.slots[i] >> 32))
		if behind := (i - home + pageSlots) % pageSlots; behind >= (i-hole+pageSlots)%pageSlots {
			p.slots[hole], hole = p.slots[i], i
		}
	}
	p.slots[hole] = 0
	p.used--
}
