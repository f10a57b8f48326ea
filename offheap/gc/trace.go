package gc

import (
	"math/bits"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// trace does a step of tracing: it looks into grey objects that it knows of, or else goes on with the search for others (verify.go).
func (c *collector) trace(h *Heap) int {
	if len(c.list) > 0 {
		n := 0
		for ; n < traceBatch && len(c.list) > 0; n++ {
			last := len(c.list) - 1
			r := c.list[last]
			c.list = c.list[:last]
			c.scanObject(h, r)
		}
		return n
	}
	switch c.stage {
	case searching:
		return c.search(h)
	case confirming:
		return c.confirm(h)
	default:
		return c.recount(h)
	}
}

// scanObject looks into an object that is grey: what it refers to is painted, and then it is black.
func (c *collector) scanObject(h *Heap, r ref) {
	k := c.at.cycle()
	ch := h.chunk(r.chunk())
	if c.hazard.Load() != uint64(ch.id)+1 {
		c.hazard.Swap(uint64(ch.id) + 1) // H1: seen before the word is read, which says that there is the object
	}
	at, bit := ch.wordOf(r)
	w := word(at.Load())
	if w.grey(k)&bit == 0 {
		return // somebody else was faster
	}
	object := ch.at(r.index())
	for _, offset := range ch.kind.refs {
		v := ref(fieldOf(object, offset).Load())
		if v == 0 {
			continue
		}
		var grey bool
		if v.chunk() == ch.id && v.index() < ch.count {
			grey = !ch.blackenLeaf(v, k) && ch.paint(v, k)
		} else {
			grey = h.paint(v, k)
		}
		if grey {
			c.add(v)
		}
	}
	for {
		next, ok := w.blackened(k, bit)
		if !ok || at.CompareAndSwap(uint64(w), uint64(next)) {
			return
		}
		w = word(at.Load())
	}
}

// blackenLeaf makes an object of the chunk black at once in cycle k, and reports whether it did, if it is white and refers to nothing. The caller is looking into the
// chunk. That is to paint it, look into it and make it black, in one: of a tree, half the objects are like that.
func (c *chunk) blackenLeaf(r ref, k uint64) bool {
	at, bit := c.wordOf(r)
	w := word(at.Load())
	next, white := w.painted(k, bit, true)
	if !white {
		return false
	}
	object := c.at(r.index())
	for _, offset := range c.kind.refs {
		if fieldOf(object, offset).Load() != 0 {
			return false
		}
	}
	return at.CompareAndSwap(uint64(w), uint64(next))
}

func fieldOf(object unsafe.Pointer, offset uintptr) *atomics.Release[uint64] {
	return fieldAt(unsafe.Add(object, offset))
}

// search looks for grey objects in one chunk. It counts what was found, too: what makes a list, and a count, of no grey object, is the first half of the
// proof that there is none.
func (c *collector) search(h *Heap) int {
	ch, more := c.nextChunk(h)
	if !more {
		if c.progress && !flawEarlySweep {
			c.restartSearch(h)
			return 1
		}
		if flawEarlySweep {
			h.advance(c.at, sweeping)
			return 1
		}
		c.counted = c.found
		c.page = h.pages.Load()
		c.stage = confirming
		return 1
	}
	if ch == nil || ch.mode.Load()&modeMask == vacant {
		return 1
	}
	k := c.at.cycle()
	for i := range ch.words {
		w := word(ch.words[i].Load())
		if grey := w.grey(k); grey != 0 {
			c.progress = true
			for ; grey != 0; grey &= grey - 1 {
				c.add(refOf(ch.id, i*perWord+bits.TrailingZeros8(grey), h.tag))
			}
		}
		c.found += uint64(w.found(k))
	}
	return chunkUnits
}

// restartSearch begins the search anew.
func (c *collector) restartSearch(h *Heap) {
	c.restarts++
	c.stage, c.progress = searching, false
	c.beginPass(h)
}
