package gc

import "github.com/freerun-go/freerun/internal/sys/pin"

// Root is a handle that holds an object, and with it all that the object reaches: it is not collected until the root is dropped. The zero Root holds
// nothing. [Type.New] and [Pointer.Load] make roots, [Root.Clone] has one held once more, and each must be dropped once with [Root.Drop].
//
// A Root may be copied: the copies are the same root, which is dropped once for all of them. It may be passed to other goroutines, with the
// synchronisation that any other value needs, and be kept as long as one likes, in Go's memory too. It has 24 bytes; the slot that it stands for has 16.
type Root[T any] struct {
	slot       *slot
	at         *T
	generation uint16
}

// IsZero reports whether the root is the zero Root.
func (r Root[T]) IsZero() bool { return r.slot == nil }

// Value returns the object, to be read and written in place while the root is held, and not afterwards. It is shared: goroutines that use what is
// in it, other than Pointer fields, need the synchronisation that any shared memory needs. It panics if the root was dropped, or is the zero Root.
func (r Root[T]) Value() *T {
	if r.slot == nil {
		panic("gc: Value of the zero Root, which holds nothing")
	}
	r.check()
	return r.at
}

// Clone returns another root that holds the same object, to be dropped for itself; the zero Root if r is. The caller must hold r until Clone returns. It
// panics if r was dropped. Lock-free; about 20 ns.
//
// The clone has a slot of its own, not a share in r's: so a second Drop of r finds r dropped, and does not end a hold of the clone's.
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

// Drop ends the root. The object may be collected then, unless other roots hold it or an object that reaches it. It panics if the root was
// dropped before, also if the root was cloned, and does nothing to the zero Root.
//
// Two Drops of one root at the same time are not always found: Drop looks, and then stores. If both have looked before either
// has stored, and a new root is made in the slot in between, the later store ends that one's hold. Goroutines that share a root
// agree which of them drops it, or have a [Root.Clone] each.
func (r Root[T]) Drop() {
	if r.slot != nil {
		r.slot.drop(r.generation)
	}
}

// Same reports whether both roots hold the same object, or both none.
func (r Root[T]) Same(o Root[T]) bool { return r.at == o.at }

const dropped = "gc: the Root was dropped before"

func (r Root[T]) check() {
	if !r.slot.held(r.generation) {
		panic(dropped)
	}
}

// refIn returns what the root holds, for a heap that must be its own.
func (r Root[T]) refIn(h *Heap) ref {
	if r.slot == nil {
		return 0
	}
	return r.slot.is(h, r.generation)
}
