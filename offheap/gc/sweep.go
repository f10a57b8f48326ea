package gc

import "math/bits"

// sweep does one step of sweeping, and returns how many units of work that was. As long as there
// are chunks that no collector has taken, it takes and sweeps one. After that it goes through all
// chunks, one a step, and sweeps those that are not swept yet: their collectors may have stopped.
// Then the cycle is over.
func (c *collector) sweep(h *Heap) int {
	k := c.at.cycle()
	if c.stage == distributed {
		id, ok := h.nextSweep(k, c.count)
		if !ok {
			c.stage = completing
			c.beginPass(h)
			c.live = 0
			return 1
		}
		if ch := h.chunk(uint32(id)); ch != nil {
			c.sweepChunk(h, ch)
		}
		return chunkUnits
	}
	ch, more := c.nextChunk(h)
	if !more {
		if h.advance(c.at, idle) {
			h.finished(c.live)
		}
		return 1
	}
	if ch == nil {
		return 1
	}
	units := 1
	if ch.swept.Load() < k {
		c.sweepChunk(h, ch)
		units = chunkUnits
	}
	c.live += int64(ch.live.Load()) * int64(ch.size)
	return units
}

// nextSweep gives out the numbers of chunks, each once in a cycle. It reports false after the last.
func (h *Heap) nextSweep(k uint64, count int) (int, bool) {
	for {
		at := h.sweeps.Load()
		next := at & (1<<chunkBits - 1)
		if at>>chunkBits != k&(1<<(64-chunkBits)-1) {
			next = 0
		}
		if next >= uint64(count) {
			return 0, false
		}
		if h.sweeps.CompareAndSwap(at, k<<chunkBits|(next+1)) {
			return int(next), true
		}
	}
}

// chunkBits is enough for mostChunks itself, which stands after the last chunk.
const chunkBits = 25

// sweepChunk frees the white objects of a chunk, except those that an allocator has reserved and
// not handed out. Any number of collectors may sweep a chunk at once: each word is changed by one
// of them, and by none that is late. A late one may still overwrite free and live, which are hints.
func (c *collector) sweepChunk(h *Heap, ch *chunk) {
	k := c.at.cycle()
	free, live, freed := 0, 0, 0
	words := ch.words
	if ch.mode.Load()&modeMask == vacant {
		free, words = ch.count, nil
	}
	for i := range words {
		for {
			w := word(words[i].Load())
			next := w.swept(k, 0)
			if next != w { // S1: the announcements are read after the word
				next = w.swept(k, ch.kind.announced(ch, i))
			}
			if next == w {
				live += bits.OnesCount8(w.allocated())
				free += bits.OnesCount8(ch.valid(i) &^ w.allocated())
				break
			}
			if flawStoreSweep {
				words[i].Store(uint64(next))
			} else if !words[i].CompareAndSwap(uint64(w), uint64(next)) { // S2: frees
				continue
			}
			freed += bits.OnesCount8(w.allocated() &^ next.allocated())
			live += bits.OnesCount8(next.allocated())
			free += bits.OnesCount8(ch.valid(i) &^ next.allocated())
			break
		}
	}
	if freed > 0 {
		h.freed.Add(uint64(freed))
	}
	unused := ch.free.Load() == uint32(ch.count) || h.shrinks.Load()
	if live == 0 && unused && words != nil {
		if b, ok := h.release(ch); ok {
			h.memory.Free(b)
		}
	}
	ch.free.Store(uint32(free))
	ch.live.Store(uint32(live))
	for {
		before := ch.swept.Load()
		if before >= k || ch.swept.CompareAndSwap(before, k) {
			return
		}
	}
}

// announced returns which objects of word i of a chunk allocators have announced as reserved.
func (k *kind) announced(ch *chunk, i int) uint8 {
	all := k.cursors.Load()
	if all == nil || flawBlindSweep {
		return 0
	}
	mask := uint8(0)
	for _, c := range *all {
		if a := c.announced.Load(); a>>8 == announcement(ch, i, 0)>>8 {
			mask |= uint8(a)
		}
	}
	return mask
}
