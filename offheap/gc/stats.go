package gc

import "math/bits"

// Stats holds the figures of a heap.
type Stats struct {
	Cycles  uint64 // ended, or begun if one is in progress
	Running bool   // a cycle is in progress
	Objects int    // allocated and not found dead
	Bytes   int64  // of those objects, each with the size that it has in its chunk
	Chunks  int    // blocks of the arena that the heap has
	Memory  int64  // bytes of those blocks
	Freed   uint64 // objects that were found dead, in all cycles
	Roots   int    // slots that hold an object: one for a root and its copies, one for each clone
	Due     int64  // bytes that may be allocated before a cycle is due; 0 if [Manual]
}

// Stats returns the heap's figures. It reads all words and slots of the heap, 8 bytes for eight
// objects and 16 for each slot: it is not for hot paths. Any goroutine may call it; it does not
// wait. While others work, the figures are of slightly different instants.
func (h *Heap) Stats() Stats {
	h.mustBeUsable()
	s := state(h.state.Load())
	st := Stats{Cycles: s.cycle(), Running: s.phase() != idle, Freed: h.freed.Load(), Roots: h.roots()}
	for id := range min(h.directory.count.Load()+1, mostChunks) {
		c := h.chunk(uint32(id))
		if c == nil || c.mode.Load()&modeMask == vacant {
			continue
		}
		n := 0
		for i := range c.words {
			n += bits.OnesCount8(word(c.words[i].Load()).allocated() &^ c.kind.announced(c, i))
		}
		st.Objects += n
		st.Bytes += int64(n) * int64(c.size)
		st.Chunks++
		st.Memory += int64(c.kind.bytes)
	}
	if !h.manual {
		st.Due = max(0, h.limit.Load()-h.charged.Load())
	}
	return st
}
