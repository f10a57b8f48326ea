package offheap

import (
	"math/bits"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// pages knows which pages may have been written since the system gave them out as zero: a bit for each. A bit is set before the buddy system's block is used,
// by whoever was given the block, and cleared by Trim, which holds a free block then: so nobody else changes the bits of a page that is in one block, and a
// page that is in several is never cleared meanwhile.
type pages struct {
	shift   uint // log2 of a page
	touched []atomics.Uint64
}

func (p *pages) init(size, page uint64) {
	p.shift = uint(bits.TrailingZeros64(page))
	p.touched = make([]atomics.Uint64, (size>>p.shift+63)/64)
}

// runs calls do for each run of at most 64 pages that an area touches: with the word and the bits of its pages.
func (p *pages) runs(offset, size uint64, do func(word int, mask uint64)) {
	first, last := offset>>p.shift, (offset+size-1)>>p.shift
	for first <= last {
		n := min(64-first%64, last-first+1)
		do(int(first/64), (^uint64(0)>>(64-n))<<(first%64))
		first += n
	}
}

// touch notes that an area, which is the caller's, is about to be used.
func (p *pages) touch(offset, size uint64) {
	if size <= 1<<p.shift {
		page := offset >> p.shift
		if w := &p.touched[page/64]; w.Load()&(1<<(page%64)) == 0 {
			w.Or(1 << (page % 64))
		}
		return
	}
	p.runs(offset, size, func(word int, mask uint64) {
		if w := &p.touched[word]; w.Load()&mask != mask {
			w.Or(mask)
		}
	})
}

// count returns how many pages may be in memory.
func (p *pages) count() (n uint64) {
	for i := range p.touched {
		n += uint64(bits.OnesCount64(p.touched[i].Load()))
	}
	return n
}

// touchZeroed is touch, and makes the area zero: the pages that are not so already.
func (a *Arena) touchZeroed(offset, size uint64) {
	p := &a.pages
	if size < 1<<p.shift {
		p.touch(offset, size)
		clear(a.span(offset, size))
		return
	}
	p.runs(offset, size, func(word int, mask uint64) {
		w := &p.touched[word]
		used := w.Load() & mask
		if used != mask {
			w.Or(mask)
		}
		for used != 0 {
			first := uint(bits.TrailingZeros64(used))
			n := uint(bits.TrailingZeros64(^(used >> first)))
			clear(a.span((uint64(word)*64+uint64(first))<<p.shift, uint64(n)<<p.shift))
			used &^= (^uint64(0) >> (64 - n)) << first
		}
	})
}

// trimOrder is the order of the largest piece that Trim holds at a time.
const trimOrder = 20

// Trim gives the pages of free memory back to the system, after it has emptied all caches, and returns how many bytes those were: 0 where the system, or this
// build, has no way to do so. It holds free blocks of at most a mebibyte, one at a time; an Alloc of a larger block may therefore fail meanwhile. It costs
// some microseconds for each run of pages that it gives back. Any goroutine may call it, at any time; it is lock-free.
func (a *Arena) Trim() (released int64) {
	a.mustBeMade()
	a.mustBeOpen()
	a.reclaim()
	for from := uint64(0); ; {
		offset, order, ok := a.space.TakeFree(from, max(a.pages.shift, a.least+guard), trimOrder)
		if !ok {
			return released
		}
		released += a.decommitPages(offset, 1<<order)
		a.space.Free(offset, order)
		from = offset + 1<<order
	}
}

// decommitPages gives the pages of an area, which is the caller's, back to the system, and returns how many bytes those were.
func (a *Arena) decommitPages(offset, size uint64) (released int64) {
	p := &a.pages
	p.runs(offset, size, func(word int, mask uint64) {
		w := &p.touched[word]
		if used := w.Load() & mask; used != 0 {
			first := uint(bits.TrailingZeros64(used))
			n := uint(bits.Len64(used)) - first
			if decommit(a.span((uint64(word)*64+uint64(first))<<p.shift, uint64(n)<<p.shift)) {
				w.And(^used)
				released += int64(bits.OnesCount64(used)) << p.shift
			}
		}
	})
	return released
}
