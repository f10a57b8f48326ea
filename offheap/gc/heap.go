package gc

import (
	"errors"
	"fmt"
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/offheap"
)

// ErrInUse says that a heap cannot be closed because roots are held. Errors that wrap it say how many.
var ErrInUse = errors.New("gc: roots are held")

// Source:     F. Negele, Combining Lock-Free Programming with Cooperative Multitasking for a Portable Multiprocessor Runtime System, ETH Zürich 2014: mark
//             and sweep with the number of the cycle as the mark, roots, several collectors at once. The three colours and the barrier are those of
//             E. Dijkstra, L. Lamport and others, On-the-Fly Garbage Collection: An Exercise in Cooperation, CACM 21(11), 1978; the end of tracing is a double
//             collect, as in Y. Afek and others, Atomic Snapshots of Shared Memory, JACM 40(4), 1993. Ours: the state of objects is in words beside chunks
//             of one type, so whoever is late never writes into anybody's memory; grey is a colour that all see instead of a list that somebody
//             holds; roots are slots instead of counts in objects; allocation by the word.
// Sketch:     one word: cycle and phase. idle → rooting: paint what the slots hold → tracing: look into what is grey until a double collect proves that
//             nothing is → sweeping: free what is white → idle. Each step of a phase may be done by anybody, again and at once; the first who has
//             seen it done moves the phase on. A mutator paints what it takes as a root (Get, Clone, New) and what it stores (Set).
// Invariants: I1 in a cycle, colours change as word.go says and no other way. I2 from tracing on, a black or born object refers to no white one. I3 from tracing
//             on, a slot with a white object is one whose taking has not returned. I4 an object that is reserved and not handed out is announced. NOT invariant: that a
//             slot holds an object that is there (Get may not be sure yet); that what is white is garbage, before the end of tracing.
// Progress:   Value, IsNil, Refers, Drop: wait-free. New, Get, Set, CompareAndSwap, Clone, Collect, Step: lock-free. A cycle ends after a number
//             of its collectors' steps that the number of objects at its beginning bounds, whatever mutators do. Who stops for good is passed over: doc.go says
//             what stays with it.
// Linearize:  Get at the second look at the field that agrees; Set at L2; New and Clone at L1; an object is garbage for good where tracing ends
// Publish:    plain fields of an object, written before the Set or Drop that passes it on, read after Get; where a chunk's memory is, written before
//             its mode becomes open
// ABA/memory: words never repeat with a white allocated object (word.go); chunks, slots and collectors are never given back, only the blocks of chunks are, when the
//             words are closed and no hazard names the chunk. Retained: 8 bytes for eight objects and about 200 for a chunk, of the most there ever were
// Cost:       doc.go
// Checked by: TestExplore… with eleven controls, TestExploreFrozen, TestStress, FuzzGraph, TestTrees, TestNoMemory

// Heap is a set of objects in an arena that refer to each other, and of which those that nobody can reach any more are found and freed. [New] makes one;
// the zero Heap panics, and a Heap must not be copied. Any goroutine, activity or operation may use
// it. An arena may have several.
type Heap struct {
	// immutable
	memory memory
	tag    uint16
	manual bool
	growth float64
	least  int64 // bytes that may be allocated before a cycle is due

	_ pad.Line

	state atomics.Uint64 // see phase.go

	_ pad.Line

	kinds      atomics.Pointer[[]*kind]
	locals     atomics.Pointer[[]*local]
	pages      atomics.Pointer[page]
	collectors atomics.Pointer[collector]

	shrinks atomics.Bool
	sweeps  atomics.Uint64 // cycle<<chunkBits | the number of the next chunk to sweep
	freed   atomics.Uint64 // objects
	charged atomics.Int64  // bytes that allocators were given since the last cycle
	limit   atomics.Int64  // of charged, until a cycle is due
	tending atomics.Int32
	wake    chan struct{}

	directory directory
}

// memory is what a heap needs of an arena.
type memory interface {
	Alloc(size int) (offheap.Block, error)
	Free(b offheap.Block)
	Bytes(b offheap.Block) []byte
}

// Option is an option of [New]. The functions that return one say what it does.
type Option struct{ apply func(*Heap) error }

// Manual has cycles begin only when [Heap.Collect] is called, or when there is no memory.
func Manual() Option {
	return Option{func(h *Heap) error {
		h.manual = true
		return nil
	}}
}

// Growth makes a cycle due when as many bytes have been allocated since the last one as ratio times those that were live then. Without it, that is 1: as
// much memory is used for garbage as for what is live.
func Growth(ratio float64) Option {
	return Option{func(h *Heap) error {
		if !(ratio > 0 && ratio <= 100) {
			return fmt.Errorf("gc: a growth of %v; it must be more than 0 and at most 100", ratio)
		}
		h.growth = ratio
		return nil
	}}
}

// Least makes no cycle due before so many bytes have been allocated since the last one. Without it, that is 4 MiB.
func Least(bytes int64) Option {
	return Option{func(h *Heap) error {
		if bytes < 0 {
			return fmt.Errorf("gc: at least %d bytes between two cycles; it must not be negative", bytes)
		}
		h.least = bytes
		return nil
	}}
}

// New returns an empty heap over an arena. The heap takes blocks of 32 KiB and more from it as it needs them, and gives those back in which nothing is live.
func New(a *offheap.Arena, options ...Option) (*Heap, error) {
	if a == nil {
		return nil, errors.New("gc: a heap needs an arena, and there is none")
	}
	a.Capacity() // panics if a is zero
	return newHeap(a, options...)
}

var tags atomics.Uint32

func newHeap(m memory, options ...Option) (*Heap, error) {
	h := &Heap{memory: m, growth: 1, least: 4 << 20, wake: make(chan struct{}, 64)}
	for i, o := range options {
		if o.apply == nil {
			return nil, fmt.Errorf("gc: a zero Option, the one with index %d", i)
		}
		if err := o.apply(h); err != nil {
			return nil, err
		}
	}
	for h.tag == 0 {
		h.tag = uint16(tags.Add(1))
	}
	h.limit.Store(h.least)
	h.growLocals(1)
	return h, nil
}

// Close gives all memory of the heap back to its arena. It fails with [ErrInUse], and changes nothing, while roots are held. Nothing else of the heap may
// be running; what is called afterwards panics.
func (h *Heap) Close() error {
	h.mustBeUsable()
	if n := h.roots(); n != 0 {
		return fmt.Errorf("%w: %d", ErrInUse, n)
	}
	h.state.Store(uint64(stateOf(state(h.state.Load()).cycle(), shut)))
	for id := range min(h.directory.count.Load()+1, mostChunks) {
		c := h.chunk(uint32(id))
		if c == nil {
			continue
		}
		if m := c.mode.Load(); m&modeMask == open || m&modeMask == closing {
			h.memory.Free(offheap.Block(c.block.Load()))
			c.mode.Store(nextMode(m, vacant))
		}
	}
	return nil
}

// roots counts the roots that are held.
func (h *Heap) roots() (n int) {
	for p := h.pages.Load(); p != nil; p = p.next {
		for i := range p.slots {
			if h.holds(p.slots[i].word.Load()) != 0 {
				n++
			}
		}
	}
	return n
}

// mustBeUsable is mustBeOpen that finds the zero Heap, too. Of that there is no Type, so no object
// and no root: what works on those need not ask.
func (h *Heap) mustBeUsable() {
	if h == nil || h.memory == nil {
		panic("gc: a nil or zero Heap; make heaps with New")
	}
	h.mustBeOpen()
}

func (h *Heap) mustBeOpen() {
	if state(h.state.Load()).phase() == shut {
		panic("gc: the Heap is closed")
	}
}

// mustOwn panics about a reference of another heap.
func (h *Heap) mustOwn(r ref) {
	if r.tag() != h.tag {
		panic("gc: the Pointer is in an object of another Heap, or in no object at all")
	}
}

// barrier tells collectors of an object that is about to be stored where they may not look any more.
func (h *Heap) barrier(s state, r ref) {
	h.mustBeOpen()
	h.paint(r, s.cycle())
}
