package gc

import (
	"fmt"
	"math/bits"
	"unsafe"

	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/internal/sys/pin"
	"github.com/freerun-go/freerun/offheap"
)

// cursor is where one processor allocates objects of one kind. It reserves all free objects of a
// word at once, by one compare-and-swap, and hands them out one after another. Only the goroutine
// that has entered the local uses it, but for the announcement, which any sweeper reads.
type cursor struct {
	_ pad.Line

	// announced tells sweepers which objects are reserved and not handed out: (chunk+1)<<32 |
	// word<<8 | mask. In a later cycle than that of the reservation they are white, and nothing
	// refers to them, and yet they must not be freed.
	announced atomics.Release[uint64]

	chunk *chunk
	at    int            // the index of the word
	left  uint8          // objects that are reserved and not handed out
	cycle uint64         // in which they were coloured
	base  unsafe.Pointer // the first object of the word

	_ pad.Line
}

func announcement(c *chunk, at int, mask uint8) uint64 {
	return uint64(c.id+1)<<32 | uint64(at)<<8 | uint64(mask)
}

// New returns a root that holds a new object, all of it zero. The caller must drop the root. The
// error is [offheap.ErrNoMemory], after a collection that found no room.
//
// Any goroutine may call it. It is lock-free, and takes about 15 ns in most cases. Now and then it
// looks for free objects, takes memory from the arena, or, if collectors are behind, does some of
// their work.
func (t Type[T]) New() (Root[T], error) {
	k := t.kind
	h := k.heap
	h.mustBeOpen()
	var spare *chunk
	for {
		l := h.local(pin.Pin())
		if l == nil {
			pin.Unpin()
			l = h.enter()
		}
		c := k.cursor(l)
		if c == nil || c.left == 0 && !c.reserve(h, &spare) {
			empty := c == nil || c.chunk == nil
			h.leave(l)
			if err := k.refill(empty, &spare); err != nil {
				return Root[T]{}, err
			}
			continue
		}
		bit := bits.TrailingZeros8(c.left)
		at := unsafe.Add(c.base, uintptr(bit)*k.size)
		k.clear(at)
		s, generation := l.next()
		if generation > generationMask {
			s, generation = l.search(h)
		}
		// L1: from here the root is seen.
		s.word.Swap(uint64(refOf(c.chunk.id, c.at*perWord+bit, uint16(generation))))
		if g := state(h.state.Load()); g.cycle() != c.cycle && !flawUncoloured {
			c.colour(g.cycle())
		}
		c.left &^= 1 << bit
		publish(&c.announced, announcement(c.chunk, c.at, c.left))
		h.leave(l)
		if spare != nil {
			spare.free.Store(uint32(k.perChunk)) // the chunk was not needed after all
		}
		return Root[T]{slot: s, at: (*T)(at), generation: uint16(generation)}, nil
	}
}

// colour makes the objects that are reserved born in cycle k.
func (c *cursor) colour(k uint64) {
	at := &c.chunk.words[c.at]
	for {
		w := word(at.Load())
		next := w.coloured(k, c.left)
		if next == w || at.CompareAndSwap(uint64(w), uint64(next)) {
			c.cycle = k
			return
		}
	}
}

// reserve reserves the free objects of the next word that has some, in the cursor's chunk, or else
// in the spare one. It reports false if it found none. The caller has entered the local.
func (c *cursor) reserve(h *Heap, spare **chunk) bool {
	if c.chunk != nil && c.chunk.mode.Load()&modeMask != open {
		c.chunk = nil // it has no memory any more
	}
	if c.chunk == nil {
		c.chunk, *spare = *spare, nil
		c.at = -1
	}
	for n := 0; c.chunk != nil && n < mostWords; n++ {
		if c.at++; c.at >= len(c.chunk.words) {
			c.chunk = nil
			break
		}
		if word(c.chunk.words[c.at].Load()).allocated() != c.chunk.valid(c.at) && c.reserveWord(h) {
			return true
		}
	}
	return false
}

// mostWords bounds the time for which a processor that looks for free objects is pinned.
const mostWords = 256

// reserveWord reserves the free objects of the cursor's word. It reports false if there is none.
func (c *cursor) reserveWord(h *Heap) bool {
	ch, at := c.chunk, &c.chunk.words[c.at]
	// A1: a sweeper that sees the word changed sees this announcement.
	publish(&c.announced, announcement(ch, c.at, wholeOctet))
	for {
		mode := ch.mode.Load()
		w := word(at.Load())
		free := ch.valid(c.at) &^ w.allocated()
		if mode&modeMask != open || free == 0 || w.closed() && w.cycle() >= mode>>modeBits&cycleMask {
			c.announced.Store(0)
			return false
		}
		k := state(h.state.Load()).cycle()
		next := w.reserved(k, free)
		if at.CompareAndSwap(uint64(w), uint64(next)) {
			c.left, c.cycle, c.base = free, next.cycle(), ch.at(c.at*perWord)
			c.announced.Store(announcement(ch, c.at, free))
			return true
		}
	}
}

// refill finds a chunk to allocate from, unless there is a spare one or the caller's cursor has
// more.
func (k *kind) refill(empty bool, spare **chunk) (err error) {
	k.growCursors()
	if !empty || *spare != nil {
		return nil // reserve stopped after mostWords only
	}
	if *spare = k.swept(); *spare != nil {
		return nil
	}
	k.heap.assistAllocation(k)
	if *spare, err = k.newChunk(); err != nil {
		k.heap.collectAll()
		if *spare = k.swept(); *spare != nil {
			return nil
		}
		*spare, err = k.newChunk()
	}
	return err
}

// swept returns a chunk that has had free objects since it was swept, nil if none is known.
func (k *kind) swept() *chunk {
	h := k.heap
	for {
		c := k.scan.Load()
		if c == nil {
			done := state(h.state.Load())
			k0 := done.cycle()
			if done.phase() != idle {
				k0--
			}
			before := k.scanned.Load()
			if before >= k0 || !k.scanned.CompareAndSwap(before, k0) {
				return nil
			}
			k.scan.Store(k.head.Load())
			continue
		}
		if !k.scan.CompareAndSwap(c, c.next) {
			continue
		}
		free := c.free.Swap(0)
		if free == 0 {
			continue
		}
		if c.mode.Load()&modeMask == vacant && k.open(c) != nil {
			continue // other chunks may have room
		}
		h.charge(int64(free) * int64(k.size))
		return c
	}
}

// newChunk returns a chunk with new memory.
func (k *kind) newChunk() (*chunk, error) {
	c := &chunk{
		kind: k, size: k.size, count: k.perChunk, leaf: len(k.refs) == 0,
		words: make([]atomics.Uint64, (k.perChunk+perWord-1)/perWord),
	}
	c.mode.Store(vacant)
	if err := k.open(c); err != nil {
		return nil, err
	}
	if !k.heap.enlist(c) {
		k.heap.memory.Free(offheap.Block(c.block.Load()))
		return nil, fmt.Errorf("%w: a heap has at most %d chunks", offheap.ErrNoMemory, mostChunks)
	}
	k.heap.charge(int64(k.perChunk) * int64(k.size))
	return c, nil
}

// open takes memory from the arena for a vacant chunk.
func (k *kind) open(c *chunk) error {
	b, err := k.heap.memory.Alloc(k.bytes)
	if err != nil {
		return fmt.Errorf("gc: a chunk for %v: %w", k.typ, err)
	}
	if !c.acquire(b, unsafe.Pointer(unsafe.SliceData(k.heap.memory.Bytes(b)))) {
		k.heap.memory.Free(b)
	}
	return nil
}
