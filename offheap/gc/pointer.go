package gc

import (
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/rolecheck"
	"github.com/freerun-go/freerun/internal/sys/pin"
)

// Pointer is a reference field of an object: a field of type Pointer[T] refers to an object of type T, or to none. It may stand in structs, arrays
// and nested structs of a type that [For] is called with, and means nothing anywhere else. The zero Pointer refers to nothing. It must not be
// copied, which go vet sees: [Pointer.Load] and [Pointer.Store] are how to read and write it.
//
// The object that the field is in must be held by a [Root] of the caller's, or of somebody's who keeps it for as long. Otherwise any
// goroutine may call its methods, at the same time too: a Pointer is an atomic word. None of them waits.
type Pointer[T any] struct {
	_    noCopy
	word atomics.Release[uint64]
}

// noCopy lets go vet complain of copies.
type noCopy struct{}

// Lock and Unlock are what go vet looks for.
func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// refSize is the size of a Pointer.
const refSize = unsafe.Sizeof(Pointer[byte]{})

// fieldAt returns the reference field at an address.
func fieldAt(p unsafe.Pointer) *atomics.Release[uint64] {
	return &(*Pointer[byte])(p).word
}

// Load returns a new root that holds the object which the field refers to; the zero Root if there is none. Whoever gets it must drop it.
//
// Lock-free: it begins again only when the field was changed meanwhile. It costs an atomic exchange, about 20 ns in all.
func (p *Pointer[T]) Load(h *Heap) Root[T] {
	h.mustBeOpen()
	if rolecheck.Checked {
		h.mustContain(unsafe.Pointer(p))
	}
	v := ref(p.word.Load())
	if v == 0 {
		return Root[T]{}
	}
	h.mustOwn(v)
	l := h.local(pin.Pin())
	if l == nil {
		pin.Unpin()
		l = h.enter()
	}
	s, generation := l.next()
	if generation > generationMask {
		s, generation = l.search(h)
	}
	for {
		word := uint64(v)&^generationMask | generation
		if flawUnfenced {
			s.word.Store(word)
		} else {
			s.word.Swap(word) // L1: from here the root is seen
		}
		if flawUnconfirmed {
			break
		}
		again := ref(p.word.Load())
		if again == v {
			break
		}
		if again == 0 {
			s.word.Store(generation)
			h.leave(l)
			return Root[T]{}
		}
		v = again
	}
	if g := state(h.state.Load()); g.paints() && !flawUnpainted {
		h.paint(v, g.cycle())
	}
	h.leave(l)
	c := h.chunk(v.chunk())
	if rolecheck.Checked {
		c.mustHave(v)
	}
	return Root[T]{slot: s, at: (*T)(c.at(v.index())), generation: uint16(generation)}
}

// Store makes the field refer to the object that r holds, or to nothing if r is the zero Root. r stays as it was. The write barrier is in it: while collectors
// look for what is reachable, they are told of the object.
//
// Wait-free but for the barrier, which is lock-free. It costs a few nanoseconds, and about ten more in the first store of an object in a cycle.
func (p *Pointer[T]) Store(h *Heap, r Root[T]) {
	v := r.refIn(h)
	if s := state(h.state.Load()); s.paints() && !flawNoBarrier {
		h.barrier(s, v)
	}
	if rolecheck.Checked {
		h.mustContain(unsafe.Pointer(p))
	}
	publish(&p.word, uint64(v)) // L2
}

// CompareAndSwap makes the field refer to the object that next holds if it refers to the one that old holds, and reports whether it did. The zero Root
// stands for nothing. As old is held there is no ABA: its object is not freed meanwhile. Lock-free.
func (p *Pointer[T]) CompareAndSwap(h *Heap, old, next Root[T]) bool {
	from, to := old.refIn(h), next.refIn(h)
	if s := state(h.state.Load()); s.paints() {
		h.barrier(s, to)
	}
	return p.word.CompareAndSwap(uint64(from), uint64(to))
}

// IsZero reports whether the field refers to nothing.
func (p *Pointer[T]) IsZero() bool { return p.word.Load() == 0 }

// Refers reports whether the field refers to the object that r holds, or to nothing if r is the zero Root.
func (p *Pointer[T]) Refers(r Root[T]) bool {
	if r.slot == nil {
		return p.IsZero()
	}
	r.check()
	return ref(p.word.Load()) == r.slot.heap.holds(r.slot.word.Load())
}

// ref is a reference: the number of a chunk, the number of an object in it, and the tag of a heap. 0 is none.
//
//	bits 40–63 chunk, bits 16–39 object, bits 0–15 tag of the heap, never 0
type ref uint64

const (
	tagBits    = 16
	indexBits  = 24
	chunkShift = tagBits + indexBits
)

func refOf(chunk uint32, index int, tag uint16) ref {
	return ref(chunk)<<chunkShift | ref(index)<<tagBits | ref(tag)
}

func (r ref) chunk() uint32 { return uint32(r >> chunkShift) }

func (r ref) index() int { return int(r>>tagBits) & (1<<indexBits - 1) }

func (r ref) tag() uint16 { return uint16(r) }
