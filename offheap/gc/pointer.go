package gc

import (
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/rolecheck"
	"github.com/freerun-go/freerun/internal/sys/pin"
)

// Pointer is a reference field of an object: it refers to an object of type T, or to none. It may
// stand in structs, arrays and nested structs of a type that [For] is called with, and means
// nothing anywhere else. The zero Pointer refers to nothing.
//
// A Pointer is an atomic word: any goroutine may call its methods, at the same time as others. The
// object that contains it must be held by a [Root] during the call. No method waits. A Pointer must
// not be copied, which go vet sees: [Pointer.Load], [Pointer.Store] and [Pointer.CompareAndSwap]
// read and write it.
type Pointer[T any] struct {
	_    noCopy
	word atomics.Release[uint64]
}

// noCopy makes go vet report copies.
type noCopy struct{}

// Lock and Unlock are the methods that go vet looks for.
func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// refSize is the size of a Pointer.
const refSize = unsafe.Sizeof(Pointer[byte]{})

// fieldAt returns the reference field at an address.
func fieldAt(p unsafe.Pointer) *atomics.Release[uint64] {
	return &(*Pointer[byte])(p).word
}

// Load returns a new root that holds the object to which the field refers; the zero Root if there
// is none. The caller must drop the root.
//
// Load is lock-free: it begins again only if the field was changed meanwhile. It costs an atomic
// exchange, some 10 to 20 ns in all.
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

// Value returns the object to which the field refers, as [Root.Value] does, without a root of its
// own; nil if there is none. It is for reading a graph that one root holds: nothing is taken and
// nothing is to be dropped, so it costs a few loads where [Pointer.Load] and [Root.Drop] cost an
// exchange and a store.
//
// The result is valid as long as a root holds it or an object from which references lead to it, and
// none of these is changed. Its own fields may be used as those of an object that is held, under
// the same condition. Where other goroutines may change a reference on the way, use Load: no build
// detects all uses of an object that was cut off and collected. Wait-free.
func (p *Pointer[T]) Value(h *Heap) *T {
	v := ref(p.word.Load())
	if v == 0 {
		return nil
	}
	h.mustOwn(v)
	c := h.chunk(v.chunk())
	if rolecheck.Checked {
		h.mustContain(unsafe.Pointer(p))
		c.mustHave(v)
	}
	return (*T)(c.at(v.index()))
}

// Store makes the field refer to the object that r holds, or to nothing if r is the zero Root. r
// stays as it was. Store contains the write barrier: while collectors look for reachable objects,
// it paints the object.
//
// Store is wait-free but for the barrier, which is lock-free. It costs a few nanoseconds, and about
// ten more for the first store of an object in a cycle.
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

// CompareAndSwap makes the field refer to the object that next holds if it refers to the object
// that old holds, and reports whether it did. The zero Root stands for nothing. There is no ABA:
// old is held, so its object is not freed meanwhile. Lock-free.
func (p *Pointer[T]) CompareAndSwap(h *Heap, old, next Root[T]) bool {
	from, to := old.refIn(h), next.refIn(h)
	if s := state(h.state.Load()); s.paints() {
		h.barrier(s, to)
	}
	return p.word.CompareAndSwap(uint64(from), uint64(to))
}

// IsZero reports whether the field refers to nothing.
func (p *Pointer[T]) IsZero() bool { return p.word.Load() == 0 }

// Refers reports whether the field refers to the object that r holds, or to nothing if r is the
// zero Root. Wait-free.
func (p *Pointer[T]) Refers(r Root[T]) bool {
	if r.slot == nil {
		return p.IsZero()
	}
	r.check()
	return ref(p.word.Load()) == r.slot.heap.holds(r.slot.word.Load())
}

// ref is a reference: the number of a chunk, the index of an object in it, and the tag of a heap. 0
// refers to nothing.
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
