package gc

import (
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/offheap"
)

// chunk is a block of the arena that is cut into objects of one type, and the state of these
// objects. The chunk stays when its block goes back to the arena, and is used again with another
// block. So a thread that is late with a reference finds a word without such an object, or an
// object of the same type, and never memory of another owner.
type chunk struct {
	id    uint32
	kind  *kind
	size  uintptr // of an object
	count int     // of objects
	leaf  bool    // the objects have no reference fields
	next  *chunk  // of the kind, youngest first
	words []atomics.Uint64

	mode  atomics.Uint64 // version<<modeBits | one of the modes below
	block atomics.Uint64 // an offheap.Block; written by the thread that made the mode opening
	base  atomics.Plain[unsafe.Pointer]

	free  atomics.Uint32 // free objects at the last sweep, 0 for a chunk in use: a hint
	live  atomics.Uint32 // live objects at the last sweep
	swept atomics.Uint64 // the latest cycle in which the chunk was swept
}

// The modes of a chunk. Each step is one compare-and-swap, with the version one higher, except for
// the store that ends opening.
//
//	open → closing → vacant → opening → open
//	        closing → open, if an object turned out to be in it
const (
	open    = 0 // objects can be reserved
	closing = 1 // no object is in it; its words are being closed
	vacant  = 2 // it has no memory
	opening = 3 // the address of its memory is about to be stored

	modeBits = 2
	modeMask = 1<<modeBits - 1
)

func nextMode(m, to uint64) uint64 { return (m>>modeBits+1)<<modeBits | to }

// valid returns the objects that word i of the chunk has.
func (c *chunk) valid(i int) uint8 {
	if n := c.count - i*perWord; n < perWord {
		return uint8(1<<n - 1)
	}
	return wholeOctet
}

// at returns the address of an object. The chunk has memory.
func (c *chunk) at(index int) unsafe.Pointer {
	return unsafe.Add(c.base.Get(), uintptr(index)*c.size)
}

// wordOf returns the word with the state of an object, and the object's bit in it.
func (c *chunk) wordOf(r ref) (*atomics.Uint64, uint8) {
	return &c.words[uint(r.index())/perWord], 1 << (uint(r.index()) % perWord)
}

// directory finds chunks by number.
type directory struct {
	count  atomics.Uint64 // the last number that was given out
	blocks [mostChunks >> leafBits]atomics.Pointer[leaf]
}

const leafSize = 1 << leafBits

type leaf [leafSize]atomics.Pointer[chunk]

// chunk returns the chunk with a number, nil if there is none yet.
func (h *Heap) chunk(id uint32) *chunk {
	if l := h.directory.blocks[id>>leafBits].Load(); l != nil {
		return l[id%leafSize].Load()
	}
	return nil
}

// enlist gives a chunk a number and adds it to its kind. It reports false if all numbers are used.
func (h *Heap) enlist(c *chunk) bool {
	id := h.directory.count.Add(1) // from 1 on: a reference is not 0
	if id >= mostChunks {
		h.directory.count.Add(^uint64(0))
		return false
	}
	c.id = uint32(id)
	place := &h.directory.blocks[id>>leafBits]
	if place.Load() == nil {
		place.CompareAndSwap(nil, new(leaf))
	}
	place.Load()[id%leafSize].Store(c)
	for {
		c.next = c.kind.head.Load()
		if c.kind.head.CompareAndSwap(c.next, c) {
			return true
		}
	}
}

// mustHave panics if an object that should be held was freed. A debug build calls it.
func (c *chunk) mustHave(r ref) {
	if at, bit := c.wordOf(r); word(at.Load()).allocated()&bit == 0 {
		panic("gc: this object was freed: a Pointer was copied, or its object was not held when it was used")
	}
}

// paint makes a white object grey in cycle k, or black if it has no reference fields. It reports
// whether it made the object grey. It ignores references to freed objects, and to those of another
// heap.
func (h *Heap) paint(r ref, k uint64) bool {
	if r == 0 {
		return false
	}
	c := h.chunk(r.chunk())
	return c != nil && r.index() < c.count && c.paint(r, k)
}

// paint is [Heap.paint] for an object of the chunk.
func (c *chunk) paint(r ref, k uint64) bool {
	at, bit := c.wordOf(r)
	for {
		w := word(at.Load())
		next, white := w.painted(k, bit, c.leaf)
		if !white {
			return false
		}
		if at.CompareAndSwap(uint64(w), uint64(next)) {
			return !c.leaf
		}
	}
}

// mustContain panics if a Pointer is in no object of the heap. A debug build calls it: it goes
// through all chunks.
func (h *Heap) mustContain(p unsafe.Pointer) {
	for id := range min(h.directory.count.Load()+1, mostChunks) {
		c := h.chunk(uint32(id))
		if c == nil || c.mode.Load()&modeMask != open {
			continue
		}
		if from := uintptr(p) - uintptr(c.base.Get()); from < uintptr(c.count)*c.size {
			c.mustHave(refOf(c.id, int(from/c.size), h.tag))
			return
		}
	}
	panic("gc: the Pointer is in no object of this Heap")
}

// acquire gives a vacant chunk memory. It reports false if another thread did so first.
func (c *chunk) acquire(b offheap.Block, base unsafe.Pointer) bool {
	m := c.mode.Load()
	if m&modeMask != vacant || !c.mode.CompareAndSwap(m, nextMode(m, opening)) {
		return false
	}
	c.block.Store(uint64(b))
	c.base.Set(base)
	c.mode.Store(nextMode(nextMode(m, opening), open))
	return true
}

// release takes the memory of a chunk without allocated objects. It reports whether the caller is
// the one that must free the returned block. If an object was allocated meanwhile, it leaves the
// chunk as it was. If a collector is looking into the chunk, it leaves the rest to the next sweep.
// A thread that finds a chunk closing continues the closing.
func (h *Heap) release(c *chunk) (offheap.Block, bool) {
	m := c.mode.Load()
	if m&modeMask == open {
		if !c.mode.CompareAndSwap(m, nextMode(m, closing)) {
			return 0, false
		}
		m = nextMode(m, closing)
	}
	if m&modeMask != closing {
		return 0, false
	}
	version := m >> modeBits
	for i := range c.words {
		for {
			w := word(c.words[i].Load())
			if w.closed() && w.cycle() == version&cycleMask {
				break
			}
			next, ok := w.closing(version)
			if !ok || w.closed() && w.cycle() > version&cycleMask {
				c.mode.CompareAndSwap(m, nextMode(m, open))
				return 0, false
			}
			if c.words[i].CompareAndSwap(uint64(w), uint64(next)) {
				break
			}
		}
	}
	if !flawNoHazard && h.hazardous(c) {
		return 0, false
	}
	b := offheap.Block(c.block.Load())
	return b, c.mode.CompareAndSwap(m, nextMode(m, vacant))
}
