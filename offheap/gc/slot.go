package gc

import (
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// slot is the word behind a root, which collectors read. Each root has a slot of its own. Slots are
// made in pages that belong to a local, and are never released.
//
// Drop frees a slot by one store. Only the owner of the local takes slots; it finds free ones by
// trying one after the other. So there is no list of free slots, and Drop need not be pinned.
type slot struct {
	// word is the held reference with the slot's generation in place of the tag, or the generation
	// alone if nothing is held. The generation grows whenever a root is dropped. So a dropped root
	// is recognised, unless its slot was used 65,536 times since. For a moment word may hold a
	// reference that Load has not confirmed yet.
	word atomics.Release[uint64]
	heap *Heap
}

const generationMask = 1<<tagBits - 1

// page is a number of slots of one local. Pages are only ever added.
type page struct {
	slots [slotsPerPage]slot
	next  *page // in the heap's list
	ring  *page // the next page of the local; written by its owner
}

// holds returns the reference in a slot's word, with the heap's tag; 0 if it holds none.
func (h *Heap) holds(word uint64) ref {
	if word <= generationMask {
		return 0
	}
	return ref(word&^generationMask | uint64(h.tag))
}

// is returns the reference in the slot, for the heap h, which must own the slot. It panics if the
// root with this generation was dropped.
func (s *slot) is(h *Heap, generation uint16) ref {
	w := s.word.Load()
	if uint16(w) != generation {
		panic(dropped)
	}
	if s.heap != h {
		panic("gc: the Root is of another Heap")
	}
	return ref(w&^generationMask | uint64(h.tag))
}

// held reports whether the root with this generation still holds the slot.
func (s *slot) held(generation uint16) bool { return uint16(s.word.Load()) == generation }

// drop frees the slot.
func (s *slot) drop(generation uint16) {
	if !s.held(generation) {
		panic(dropped)
	}
	publish(&s.word, uint64(generation+1))
}

// next returns the slot to be tried next, and its word: the slot is free if its word is no more
// than a generation. The caller has entered l.
func (l *local) next() (*slot, uint64) {
	s := &l.page.slots[l.at%slotsPerPage]
	l.at++
	return s, s.word.Load()
}

// search returns a free slot, and its word, after next has returned a slot that is not free. It
// looks in the same page, in the page after it, and then adds a page. The caller has entered l.
func (l *local) search(h *Heap) (*slot, uint64) {
	for range 2 {
		for range slotsPerPage {
			if s, w := l.next(); w <= generationMask {
				return s, w
			}
		}
		l.page = l.page.ring
	}
	return l.grow(h)
}

// full is the page of a local that has none yet.
var full = func() *page {
	p := new(page)
	for i := range p.slots {
		p.slots[i].word.Store(^uint64(0))
	}
	p.ring = p
	return p
}()

// grow adds a page to a local whose pages are full as far as it has looked. It returns the first
// slot, and its word. The caller has entered l.
func (l *local) grow(h *Heap) (*slot, uint64) {
	p := new(page)
	for i := range p.slots {
		p.slots[i].heap = h
	}
	p.ring = p
	if l.page != full {
		p.ring, l.page.ring = l.page.ring, p
	}
	l.page = p
	for {
		p.next = h.pages.Load()
		if h.pages.CompareAndSwap(p.next, p) {
			break
		}
	}
	l.at = 1
	return &p.slots[0], 0
}
