package gc

import (
	"context"
	"runtime"
)

// Collect frees all objects that cannot be reached when it is called: it goes through a whole cycle, after the one that is in progress if there is one, and
// returns when the cycle is over, or ctx's error when ctx is done. Nothing else stops meanwhile. Any number of goroutines may call it at the same time: they
// share the work.
//
// An object that is found dead but in a chunk with live ones makes room for others of its type. A chunk without live objects goes back to the arena if nothing was
// allocated in it since the last cycle: at the latest with the second Collect. Two kinds of chunks stay longer. A processor allocates eight objects at a
// time, and a chunk in which some of those are left over stays until the processor has used them up: at most one chunk of each type for each
// processor. A chunk that a collector is looking into when it could go stays until the next cycle.
func (h *Heap) Collect(ctx context.Context) error {
	h.mustBeUsable()
	mustContext(ctx)
	goal := state(h.state.Load()).cycle() + 1 // begins after this, whether one is in progress now or not
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
			runtime.Gosched() // others find what is to be found
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

// Step does some of the work of a cycle, and begins one if one is due: about budget units, of which one takes as long as looking into one object, some 20
// to 50 ns. It reports whether there is more to do now. It is for whoever has time to spare, such as a processor of a runtime that has nothing to
// run; any number may call it at the same time.
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

// Tend collects whenever a cycle is due, until ctx is done, and returns ctx's error then. Meanwhile it waits on a channel. As many goroutines as shall
// collect at the same time call it: two of them trace and sweep almost twice as fast as one.
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
		runtime.Gosched() // whoever allocates goes first
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// due reports whether enough has been allocated since the last cycle.
func (h *Heap) due() bool { return !h.manual && h.charged.Load() >= h.limit.Load() }

// charge counts bytes that an allocator was given, and wakes those who tend the heap when a cycle is due.
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

// assistAllocation has somebody who allocates do some of the work, in proportion, when a cycle is due and those who tend the heap are behind, or there is none.
func (h *Heap) assistAllocation(k *kind) {
	if !h.due() {
		return
	}
	if h.tending.Load() == 0 || h.charged.Load() > 2*h.limit.Load() {
		h.Step(4 * k.perChunk)
	}
}

// finished is called once for each cycle, by whoever ended it.
func (h *Heap) finished(live int64) {
	h.charged.Store(0)
	h.limit.Store(max(h.least, int64(float64(live)*h.growth)))
}

// collectAll is for who found no memory: two cycles, in which every chunk without objects goes back that no processor allocates in.
func (h *Heap) collectAll() {
	h.shrinks.Store(true)
	for range 2 {
		_ = h.Collect(context.Background()) // has no other error than the context's
	}
	h.shrinks.Store(false)
}
