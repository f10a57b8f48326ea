package gc

import (
	"context"
	"runtime"
)

// Collect frees all objects that cannot be reached when it is called. It goes through a whole
// cycle, after the one in progress if there is one, and returns when the cycle is over, or ctx's
// error when ctx is done. It works in the calling goroutine and stops no other. Any number of
// goroutines may call it at the same time: they share the work.
//
// A dead object in a chunk with live ones makes room for other objects of its type. A chunk without
// live objects goes back to the arena if no object was allocated in it since the last cycle: at the
// latest with the second Collect. Two kinds of chunks stay longer. A processor reserves eight
// objects at a time, and a chunk with unused ones of these stays until the processor has used them
// up: at most one chunk of each type for each processor. A chunk that a collector is looking into
// when it could go stays until the next cycle.
func (h *Heap) Collect(ctx context.Context) error {
	h.mustBeUsable()
	mustContext(ctx)
	goal := state(h.state.Load()).cycle() + 1 // the cycle that begins after this point
	c := h.claim()
	defer c.release()
	for {
		s := state(h.state.Load())
		if s.cycle() > goal || s.cycle() == goal && s.phase() == idle {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.phase() == shut {
			h.mustBeOpen()
		}
		if s.phase() == idle {
			h.start(s)
			continue
		}
		before := c.restarts
		if c.step(h); c.restarts != before {
			runtime.Gosched() // other collectors find the grey objects that remain
		}
	}
}

func mustContext(ctx context.Context) {
	if ctx == nil {
		panic("gc: a nil context.Context; use context.Background() if there is none")
	}
}

// start begins a cycle after the idle state s.
func (h *Heap) start(s state) {
	h.state.CompareAndSwap(uint64(s), uint64(stateOf(s.cycle()+1, rooting)))
}

// Step does about budget units of a cycle's work, and begins a cycle if one is due. A unit takes as
// long as scanning one object, some 20 to 50 ns. Step reports whether there is more to do now. It
// is for callers with time to spare, such as an idle processor of a runtime. Any number of
// goroutines may call it at the same time.
func (h *Heap) Step(budget int) (more bool) {
	h.mustBeUsable()
	s := state(h.state.Load())
	if s.phase() == idle {
		if !h.due() {
			return false
		}
		h.start(s)
	}
	c := h.claim()
	defer c.release()
	for budget > 0 {
		n := c.step(h)
		if n == 0 {
			return h.due()
		}
		budget -= n
	}
	return true
}

// Tend collects whenever a cycle is due, until ctx is done, and then returns ctx's error. Between
// cycles it waits on a channel. Call it from as many goroutines as shall collect at the same time:
// two of them trace and sweep almost twice as fast as one.
func (h *Heap) Tend(ctx context.Context) error {
	h.mustBeUsable()
	mustContext(ctx)
	h.tending.Add(1)
	defer h.tending.Add(-1)
	for {
		h.mustBeOpen()
		if !h.Step(1 << 12) {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-h.wake:
			}
		}
		runtime.Gosched() // goroutines that allocate go first
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// due reports whether enough bytes have been allocated since the last cycle.
func (h *Heap) due() bool { return !h.manual && h.charged.Load() >= h.limit.Load() }

// charge counts bytes that an allocator was given, and wakes the goroutines in Tend when a cycle is
// due.
func (h *Heap) charge(n int64) {
	limit := h.limit.Load()
	if now := h.charged.Add(n); now >= limit && !h.manual {
		if now-n < limit {
			for range h.tending.Load() {
				select {
				case h.wake <- struct{}{}:
				default:
				}
			}
		}
	}
}

// assistAllocation does some of a due cycle's work on behalf of an allocating goroutine, in
// proportion, if no goroutine is in Tend or those that are fall behind.
func (h *Heap) assistAllocation(k *kind) {
	if !h.due() {
		return
	}
	if h.tending.Load() == 0 || h.charged.Load() > 2*h.limit.Load() {
		h.Step(4 * k.perChunk)
	}
}

// finished begins the count to the next cycle. The collector that ended the cycle calls it, once.
func (h *Heap) finished(live int64) {
	h.charged.Store(0)
	h.limit.Store(max(h.least, int64(float64(live)*h.growth)))
}

// collectAll goes through two cycles for an allocation that found no memory. In them every chunk
// without objects goes back, unless a processor allocates in it.
func (h *Heap) collectAll() {
	h.shrinks.Store(true)
	for range 2 {
		_ = h.Collect(context.Background()) // the only error is the context's
	}
	h.shrinks.Store(false)
}
