package gc

// How a collector knows that tracing is complete, while mutators run and others may be frozen anywhere:
//
//	V1 search: it goes through all words. None has a grey object; it counts the objects that were found (are grey or black).
//	V2 confirm: it goes through all roots. None holds a white object.
//	V3 recount: it goes through all words again, and counts as many found objects as before.
//
// If one of them does not hold, it begins again, and something has been found in this cycle that was not before: that happens only so often.
//
// Why that is proof. A found object stays found for the whole cycle (word.go), and V3 counts the same sum as V1 did; so each word had the same found
// objects whenever it was looked at, and therefore from V1 to V3: nothing white became grey between the end of V1 and the beginning of V3, that
// is, during V2. And a found object that was not grey in V1 is black ever after. Hence during V2 nothing is grey and nothing becomes grey. The
// rest is about roots; docs/algorithms/gc.md has it.

// confirm looks at a page of roots.
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
	c.count = count // a chunk that came since has born objects only
	c.stage = recounting
	return 1
}

// recount counts a chunk again.
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
