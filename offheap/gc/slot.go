package gc

import (
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// slot is what a root stands for: a word that collectors look at. Each root has one for itself. Slots are made in pages that belong to a
// local and stay with the heap. Whoever drops a root frees its slot by one store, and the local's owner, who alone takes slots, comes across it again: so there
// is no list of free slots, and nothing to be pinned for where a root is dropped.
type slot struct {
	// word is what is held, with the generation of the slot in the place of the tag; without anything held, the generation alone. The generation grows
	// whenever a root is dropped, so a root that was dropped is recognised, unless its slot was used 65,536 times since. What is held may for a moment be
	// what Get is not sure of yet.
	word atomics.Release[uint64]
	heap *Heap
}

const generationMask = 1<<tagBits - 1

// page is some slots of one local. Pages are only ever added.
type page struct {
	slots [slotsPerPage]slot
	next  *page // of the heap's
	ring  *page // the local's next, its owner's
}

// holds returns what a word of a slot holds, as a reference of the heap.
func (h *Heap) holds(word uint64) ref {
	if word <= generationMask {
		return 0
	}
	return ref(word&^generationMask | uint64(h.tag))
}

// is returns what the slot holds, as a reference of the heap h, which must be its own. It panics if the root was dropped that had the slot in this generation.
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

// held reports whether somebody holds the slot in this generation.
func (s *slot) held(generation uint16) bool { return uint16(s.word.Load()) == generation }

// drop frees the slot.
func (s *slot) drop(generation uint16) {
	if !s.held(generation) {
		panic(dropped)
	}
	publish(&s.word, uint64(generation+1))
}

// next returns the slot to be tried next, and its word: it is free if that is no more than a generation. The caller has entered.
func (l *local) next() (*slot, uint64) {
	s := &l.page.slots[l.at%slotsPerPage]
	l.at++
	return s, s.word.Load()
}

// search returns a free slot, and its word, if the next one was not free: in the same page, in the one after it, or in a new one.
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

// grow adds a page to a local whose pages are full, as far as it has looked.
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
