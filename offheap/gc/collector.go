package gc

import (
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// collector is somebody who collects: a record that one goroutine at a time has claimed. Each goes through the phases by itself, in small steps,
// and remembers here how far it has come; the phase moves on when the first of them has seen all that it is for. So one that stops for good is not waited
// for: what it had found is grey for everybody to see (word.go), and its list of grey objects only saves others the search.
type collector struct {
	_ pad.Line

	claimed atomics.Uint32
	hazard  atomics.Release[uint64] // the number of the chunk that its holder looks into, plus 1; 0 is none
	next    *collector              // the list of all, which only grows
	number  int

	// the holder's
	at       state // what the rest is about
	stage    stage
	list     []ref // grey objects to look into
	page     *page // where it is in the roots
	begin    int   // where it began among the chunks
	position int   // how many it has seen
	count    int   // of how many
	progress bool  // something white or grey turned up
	found    uint64
	counted  uint64
	live     int64
	restarts int // how often the search began anew

	_ pad.Line
}

// stage is where a collector is within tracing (verify.go).
type stage int

const (
	searching   stage = iota // for grey objects, in all words
	confirming               // that no root is white
	recounting               // that nothing was found meanwhile
	distributed              // of sweeping: takes chunks that nobody has taken
	completing               // of sweeping: sees to it that all are swept
)

// The work of a step is counted in units: about the time that it takes to look into one object.
const (
	chunkUnits = 8
	pageUnits  = 8
)

// claim returns a collector for the caller alone.
func (h *Heap) claim() *collector {
	for c := h.collectors.Load(); c != nil; c = c.next {
		if c.claimed.Load() == 0 && c.claimed.CompareAndSwap(0, 1) {
			return c
		}
	}
	c := new(collector)
	c.claimed.Store(1)
	for {
		c.next = h.collectors.Load()
		c.number = 0
		if c.next != nil {
			c.number = c.next.number + 1
		}
		if h.collectors.CompareAndSwap(c.next, c) {
			return c
		}
	}
}

func (c *collector) release() {
	c.hazard.Store(0)
	c.claimed.Store(0)
}

// hazardous reports whether a collector looks into a chunk, or is about to.
func (h *Heap) hazardous(ch *chunk) bool {
	for c := h.collectors.Load(); c != nil; c = c.next {
		if c.hazard.Load() == uint64(ch.id)+1 {
			return true
		}
	}
	return false
}

// step does a little of what the present phase is about, and returns how many units it was: 0 if no cycle is in progress.
func (c *collector) step(h *Heap) int {
	s := state(h.state.Load())
	if s != c.at {
		c.enterPhase(h, s)
	}
	switch s.phase() {
	case rooting:
		return c.root(h)
	case tracing:
		return c.trace(h)
	case sweeping:
		return c.sweep(h)
	}
	return 0
}

// enterPhase begins with a phase.
func (c *collector) enterPhase(h *Heap, s state) {
	if s.cycle() != c.at.cycle() {
		c.list = c.list[:0] // of another cycle
	}
	c.at = s
	c.page = h.pages.Load()
	c.progress = false
	c.beginPass(h)
	c.stage = searching
	if s.phase() == sweeping {
		c.stage = distributed
		c.hazard.Store(0) // or the chunk that it looked into last could not be given back
	}
}

// beginPass begins to go through all chunks that there are by now.
func (c *collector) beginPass(h *Heap) {
	c.count = int(min(h.directory.count.Load()+1, mostChunks))
	c.position = 0
	c.begin = c.number * 7 % max(c.count, 1)
	c.found = 0
}

// nextChunk returns the next chunk, and false if there is none. The chunk is nil if it is not there yet.
func (c *collector) nextChunk(h *Heap) (*chunk, bool) {
	if c.position >= c.count {
		return nil, false
	}
	id := c.begin + c.position
	if id >= c.count {
		id -= c.count
	}
	c.position++
	return h.chunk(uint32(id)), true
}

// root paints what a page of roots holds. When one collector has done that for all of them, tracing begins.
func (c *collector) root(h *Heap) int {
	if c.page != nil && !flawEarlyTrace {
		c.paintPage(h)
		return pageUnits
	}
	h.advance(c.at, tracing)
	return 1
}

// paintPage paints what the next page of roots holds, and reports whether any of that was white.
func (c *collector) paintPage(h *Heap) (white bool) {
	k := c.at.cycle()
	for i := range c.page.slots {
		if r := h.holds(c.page.slots[i].word.Load()); r != 0 && h.paint(r, k) {
			white = true
			c.add(r)
		}
	}
	c.page = c.page.next
	return white
}

// add notes a grey object that is to be looked into. If there are very many, the search will find it.
func (c *collector) add(r ref) {
	if len(c.list) < mostListed {
		c.list = append(c.list, r)
	}
}

// mostListed bounds a collector's list, which is in Go's memory: at half a MiB.
const mostListed = 1 << 16

// advance moves the heap on from a state to a phase of the same cycle.
func (h *Heap) advance(from, to state) bool {
	return h.state.CompareAndSwap(uint64(from), uint64(stateOf(from.cycle(), to)))
}
