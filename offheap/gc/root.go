package gc

import "github.com/freerun-go/freerun/internal/sys/pin"

// Root is a handle that holds an object, and with it all objects that it reaches: none of them is
// collected until the root is dropped. The zero Root holds nothing. [Type.New], [Pointer.Load] and
// [Root.Clone] make roots. Each must be dropped once with [Root.Drop].
//
// A Root may be copied: the copies are the same root, which is dropped once for all of them. It may
// be passed to other goroutines, with the synchronisation that any value needs, and be kept in Go's
// memory as long as one likes. It has 24 bytes; its slot has 16.
type Root[T any] struct {
	slot       *slot
	at         *T
	generation uint16
}

// IsZero reports whether the root is the zero Root.
func (r Root[T]) IsZero() bool { return r.slot == nil }

// Value returns the object, to be read and written in place while the root is held. Goroutines that
// share the object need the synchronisation that any shared memory needs, except for its Pointer
// fields. Value panics if the root was dropped, or is the zero Root. Wait-free.
func (r Root[T]) Value() *T {
	if r.slot == nil {
		panic("gc: Value of the zero Root, which holds nothing")
	}
	r.check()
	return r.at
}

// Clone returns another root that holds the same object, to be dropped for itself; the zero Root if
// r is. The caller must hold r until Clone returns. Clone panics if r was dropped. It is lock-free,
// and costs as much as [Pointer.Load]: with its Drop 8.5 ns on a machine where Load and Drop take
// 9.2 (BenchmarkOperations).
//
// The clone has a slot of its own, not a share in r's. So a second Drop of r finds r dropped, and
// does not end the clone's hold.
func (r Root[T]) Clone() Root[T] {
	if r.slot == nil {
		return r
	}
	h := r.slot.heap
	l := h.local(pin.Pin())
	if l == nil {
		pin.Unpin()
		l = h.enter()
	}
	s, generation := l.next()
	if generation > generationMask {
		s, generation = l.search(h)
	}
	w := r.slot.word.Load()
	s.word.Swap(w&^generationMask | generation) // L1: from here the root is seen
	if uint16(w) != r.generation || !r.slot.held(r.generation) {
		s.word.Store(generation)
		h.leave(l)
		panic(dropped)
	}
	if g := state(h.state.Load()); g.paints() && !flawUnpainted {
		h.paint(h.holds(w), g.cycle())
	}
	h.leave(l)
	return Root[T]{slot: s, at: r.at, generation: uint16(generation)}
}

// Drop ends the root. The object may be collected then, unless another root or an object that a
// root reaches refers to it. Drop panics if the root was dropped before, whether or not it was
// cloned. Drop of the zero Root does nothing. Wait-free.
//
// Two concurrent Drops of one root are not always detected: Drop looks, and then stores. If both
// look before either stores, and a new root is made in the slot in between, the later store ends
// that root's hold. Goroutines that share a root agree which of them drops it, or have a
// [Root.Clone] each.
func (r Root[T]) Drop() {
	if r.slot != nil {
		r.slot.drop(r.generation)
	}
}

// Same reports whether both roots hold the same object, or both hold none.
func (r Root[T]) Same(o Root[T]) bool { return r.at == o.at }

const dropped = "gc: the Root was dropped before"

func (r Root[T]) check() {
	if !r.slot.held(r.generation) {
		panic(dropped)
	}
}

// refIn returns the reference that the root holds, for the heap h, which must be its own.
func (r Root[T]) refIn(h *Heap) ref {
	if r.slot == nil {
		return 0
	}
	return r.slot.is(h, r.generation)
}
