package gc

import (
	"math/bits"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// trace does a step of tracing: it scans the grey objects of its list, or else continues the search
// for others (verify.go).
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

// scanObject scans a grey object: it paints the objects to which it refers, and makes it black.
func (c *collector) scanObject(h *Heap, r ref) {
	k := c.at.cycle()
	ch := h.chunk(r.chunk())
	if c.hazard.Load() != uint64(ch.id)+1 {
		c.hazard.Swap(uint64(ch.id) + 1) // H1: seen before the word is read
	}
	at, bit := ch.wordOf(r)
	w := word(at.Load())
	if w.grey(k)&bit == 0 {
		return // another collector was faster
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

// blackenLeaf makes a white object of the chunk that refers to nothing black in cycle k, and
// reports whether it did. The caller is looking into the chunk. It paints, scans and blackens in
// one step: half the objects of a tree are such leaves.
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

// search looks for grey objects in one chunk, and counts the found ones. A pass that finds no grey
// object is, with its count, the first half of the proof that there is none.
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
