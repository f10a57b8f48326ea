package gc

import (
	"errors"
	"fmt"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/offheap"
)

// ErrInUse says that a heap cannot be closed because roots are held. Errors that wrap it say how
// many.
var ErrInUse = errors.New("gc: roots are held")

// Source:     F. Negele, Combining Lock-Free Programming with Cooperative Multitasking for a
//             Portable Multiprocessor Runtime System, ETH Zürich 2014: mark and sweep with the
//             number of the cycle as the mark, roots, several collectors at once. The three colours
//             and the barrier are from E. Dijkstra, L. Lamport and others, On-the-Fly Garbage
//             Collection: An Exercise in Cooperation, CACM 21(11), 1978. The end of tracing is a
//             double collect, as in Y. Afek and others, Atomic Snapshots of Shared Memory, JACM
//             40(4), 1993. Ours: the state of objects is in words beside chunks of one type, so a
//             late thread never writes into memory of another owner; grey is a colour that all
//             collectors see, instead of a list that one holds; roots are slots, instead of counts
//             in objects; allocation by the word.
// Sketch:     one word: cycle and phase.
//             idle → rooting: paint the objects in slots
//                  → tracing: scan grey objects until a double collect proves that there is none
//                  → sweeping: free white objects → idle
//             Any collector may do each step of a phase, again and at the same time as others; the
//             first that has seen the phase done moves it on. A mutator paints the objects that it
//             takes as roots (Load, Clone, New) and that it stores (Store).
// Invariants: I1 in a cycle, colours change as word.go says and in no other way.
//             I2 from tracing on, a black or born object refers to no white one.
//             I3 from tracing on, if a slot names a white object, the New, Load or Clone that took
//             the slot has not returned.
//             I4 an object that is reserved and not handed out is announced.
//             NOT invariant: that the object in a slot is allocated (Load may not have confirmed it
//             yet); that a white object is garbage, before the end of tracing.
// Progress:   Value, IsZero, Refers, Drop: wait-free. New, Load, Store, CompareAndSwap, Clone,
//             Collect, Step: lock-free. A cycle ends after a number of its collectors' steps that
//             is bounded by the number of objects at its beginning, whatever mutators do. Others
//             pass over a goroutine that stops for good: doc.go says which objects it keeps.
// Linearize:  Load at the second look at the field that agrees; Store at L2; New and Clone at L1;
//             an object is garbage for good where tracing ends.
// Publish:    plain fields of an object are written before the Store or Drop that passes it on, and
//             read after Load. The address of a chunk's memory is written before the chunk's mode
//             becomes open.
// ABA/memory: words never repeat with a white allocated object (word.go). Chunks, slots and
//             collectors are never released; only the blocks of chunks are, when their words are
//             closed and no hazard names the chunk. Retained: 8 bytes for eight objects and about
//             200 for a chunk, of the most there ever were.
// Cost:       doc.go
// Checked by: TestExplore… with eleven controls, TestExploreFrozen, TestStress, FuzzGraph,
//             TestTrees, TestNoMemory

// Heap is a set of objects in an arena that refer to each other. It finds and frees objects that
// the program can no longer reach. [New] makes one; the methods of the zero Heap panic, and a Heap
// must not be copied. Any goroutine, activity or operation may use it. An arena may have several.
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
	limit   atomics.Int64  // of charged: then a cycle is due
	tending atomics.Int32
	wake    chan struct{}

	directory directory
}

// memory is the part of an arena that a heap needs.
type memory interface {
	Alloc(size int) (offheap.Block, error)
	Free(b offheap.Block)
	Bytes(b offheap.Block) []byte
}

// Option is an option of [New].
type Option struct{ apply func(*Heap) error }

// Manual makes cycles begin only when [Heap.Collect] is called, or when there is no memory.
func Manual() Option {
	return Option{func(h *Heap) error {
		h.manual = true
		return nil
	}}
}

// Growth makes a cycle due when the bytes allocated since the last cycle reach ratio times the
// bytes that were live then. ratio is more than 0 and at most 100; the default is 1: garbage takes
// as much memory as live objects.
func Growth(ratio float64) Option {
	return Option{func(h *Heap) error {
		if !(ratio > 0 && ratio <= 100) {
			return fmt.Errorf("gc: a growth of %v; it must be more than 0 and at most 100", ratio)
		}
		h.growth = ratio
		return nil
	}}
}

// Least makes no cycle due before the given number of bytes has been allocated since the last one.
// The default is 4 MiB.
func Least(bytes int64) Option {
	return Option{func(h *Heap) error {
		if bytes < 0 {
			return fmt.Errorf("gc: at least %d bytes between two cycles; it must not be negative", bytes)
		}
		h.least = bytes
		return nil
	}}
}

// New returns an empty heap over an arena. The heap takes blocks of 32 KiB and more as it needs
// them, and gives back blocks without live objects. The error names the option that is wrong.
func New(a *offheap.Arena, options ...Option) (*Heap, error) {
	if a == nil {
		return nil, errors.New("gc: New on a nil Arena; make arenas with offheap.New")
	}
	a.Usage() // panics if a is zero or closed
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

// Close gives all memory of the heap back to its arena. While roots are held it fails with
// [ErrInUse] and changes nothing. No other call on the heap may be running, and every later call
// panics.
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

// roots returns the number of roots that are held.
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

// mustBeUsable is mustBeOpen that also finds the zero Heap. The zero Heap has no Type, so no object
// and no root; methods of those need not check.
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

// barrier paints an object that is about to be stored in a field that collectors may not look at
// again.
func (h *Heap) barrier(s state, r ref) {
	h.mustBeOpen()
	h.paint(r, s.cycle())
}
