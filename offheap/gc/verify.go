package gc

// How a collector knows that tracing is complete, while mutators run and other collectors may be
// frozen anywhere:
//
//	V1 search:  read all words. None has a grey object.
//	            Count the found objects (those that are grey or black).
//	V2 confirm: read all roots. None holds a white object.
//	V3 recount: read all words again. The number of found objects is that of V1.
//
// If a step fails, the collector begins again. Then an object was found in this cycle that was not
// found before, which happens a bounded number of times.
//
// Why that is proof:
//
//   - A found object stays found for the whole cycle (word.go), and V1 and V3 count the same sum.
//     So each word had the same found objects at both looks, and therefore from V1 to V3.
//   - Hence no white object became grey between the end of V1 and the beginning of V3, that is,
//     during V2.
//   - A found object that was not grey in V1 is black ever after.
//   - Hence during V2 no object is grey, and none becomes grey.
//
// The rest of the proof is about roots: docs/algorithms/gc.md has it.

// confirm checks a page of roots (V2).
func (c *collector) confirm(h *Heap) int {
	if c.page != nil {
		if c.paintPage(h) {
			c.restartSearch(h)
		}
		return pageUnits
	}
	if flawNoRecount {
		h.advance(c.at, sweeping)
		return 1
	}
	count := c.count
	c.beginPass(h)
	c.count = count // a chunk that was added since has born objects only
	c.stage = recounting
	return 1
}

// recount counts the found objects of a chunk again (V3).
func (c *collector) recount(h *Heap) int {
	ch, more := c.nextChunk(h)
	if !more {
		if c.found != c.counted {
			c.restartSearch(h)
			return 1
		}
		h.advance(c.at, sweeping)
		return 1
	}
	if ch == nil || ch.mode.Load()&modeMask == vacant {
		return 1
	}
	k := c.at.cycle()
	for i := range ch.words {
		c.found += uint64(word(ch.words[i].Load()).found(k))
	}
	return chunkUnits
}
