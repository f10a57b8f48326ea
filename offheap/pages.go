package offheap

import (
	"math/bits"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// pages knows which pages may have been written since the system gave them out as zero: a bit for
// each.
//
// The call that was given a block sets the bits of its pages before the block is used. Trim clears
// bits, of pages in a free block that it holds. So no other call changes the bits of a page that
// lies in one block, and a page that lies in several blocks is never cleared while one of them is
// used.
type pages struct {
	shift   uint // log2 of a page
	touched []atomics.Uint64
}

func (p *pages) init(size, page uint64) {
	p.shift = uint(bits.TrailingZeros64(page))
	p.touched = make([]atomics.Uint64, (size>>p.shift+63)/64)
}

// runs calls do for each run of at most 64 pages that an area touches, with the index of their word
// and the mask of their bits.
func (p *pages) runs(offset, size uint64, do func(word int, mask uint64)) {
	first, last := offset>>p.shift, (offset+size-1)>>p.shift
	for first <= last {
		n := min(64-first%64, last-first+1)
		do(int(first/64), (^uint64(0)>>(64-n))<<(first%64))
		first += n
	}
}

// touch marks the pages of an area that the caller owns and is about to use.
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

// count returns the number of pages that may be in memory.
func (p *pages) count() (n uint64) {
	for i := range p.touched {
		n += uint64(bits.OnesCount64(p.touched[i].Load()))
	}
	return n
}

// touchZeroed is touch, and clears the pages that are not zero already.
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

// Trim empties all caches, gives the pages of free memory back to the system, and returns the
// number of bytes given back: 0 where the system, or this build, cannot do so.
//
// It holds one free block of at most a mebibyte at a time, so an Alloc of a larger block may fail
// meanwhile. It costs some microseconds for each run of pages that it gives back. Any goroutine may
// call it, at any time; it is lock-free.
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

// decommitPages gives the touched pages of an area that the caller owns back to the system, and
// returns the number of bytes given back.
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
