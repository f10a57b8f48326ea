package gc

import (
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// collector is the record of one goroutine that collects, which has claimed it. Each collector goes
// through the phases by itself, in small steps, and keeps its position here. The phase moves on
// when the first collector has seen all of it.
//
// No other collector waits for one that stops for good: the objects that it found are grey for all
// to see (word.go), and its list of grey objects only saves others the search.
type collector struct {
	_ pad.Line

	claimed atomics.Uint32
	hazard  atomics.Release[uint64] // 1 + number of the chunk it looks into; 0 is none
	next    *collector              // in the list of all, which only grows
	number  int

	// written and read by the holder only
	at       state // the state to which the rest belongs
	stage    stage
	list     []ref // grey objects to be scanned
	page     *page // the next page of roots
	begin    int   // the first chunk of this pass
	position int   // chunks seen in this pass
	count    int   // chunks to be seen in this pass
	progress bool  // this pass of the search has found a grey object
	found    uint64
	counted  uint64
	live     int64
	restarts int // how often the search restarted

	_ pad.Line
}

// stage is the part of tracing (verify.go) or of sweeping that a collector is in.
type stage int

const (
	searching   stage = iota // for grey objects, in all words
	confirming               // that no root is white
	recounting               // that no object was found meanwhile
	distributed              // of sweeping: takes chunks that no collector has taken
	completing               // of sweeping: makes sure that all chunks are swept
)

// The work of a step is counted in units: about the time that scanning one object takes.
const (
	chunkUnits = 8
	pageUnits  = 8
)

// claim returns a collector for the caller alone. The caller calls release at the end.
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

// step does a little of the work of the present phase. It returns the number of units, 0 if no
// cycle is in progress.
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

// enterPhase moves the collector to the heap's phase.
func (c *collector) enterPhase(h *Heap, s state) {
	if s.cycle() != c.at.cycle() {
		c.list = c.list[:0] // they are grey objects of another cycle
	}
	c.at = s
	c.page = h.pages.Load()
	c.progress = false
	c.beginPass(h)
	c.stage = searching
	if s.phase() == sweeping {
		c.stage = distributed
		c.hazard.Store(0) // otherwise the chunk that it looked into last could not be given back
	}
}

// beginPass begins a pass over all chunks that exist now.
func (c *collector) beginPass(h *Heap) {
	c.count = int(min(h.directory.count.Load()+1, mostChunks))
	c.position = 0
	c.begin = c.number * 7 % max(c.count, 1)
	c.found = 0
}

// nextChunk returns the next chunk of the pass, and false at its end. The chunk is nil if it is not
// in the directory yet.
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

// root paints the objects that a page of roots holds. When one collector has painted all pages,
// tracing begins.
func (c *collector) root(h *Heap) int {
	if c.page != nil && !flawEarlyTrace {
		c.paintPage(h)
		return pageUnits
	}
	h.advance(c.at, tracing)
	return 1
}

// paintPage paints the objects that the next page of roots holds, and reports whether any was
// white.
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

// add adds a grey object to the list. A full list ignores it: the search will find it.
func (c *collector) add(r ref) {
	if len(c.list) < mostListed {
		c.list = append(c.list, r)
	}
}

// mostListed bounds a collector's list, which is in Go's memory: at half a MiB.
const mostListed = 1 << 16

// advance moves the heap from a state to a phase of the same cycle. It reports false if another
// collector did.
func (h *Heap) advance(from, to state) bool {
	return h.state.CompareAndSwap(uint64(from), uint64(stateOf(from.cycle(), to)))
}
