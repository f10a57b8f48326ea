package gc

import (
	_ "sync/atomic" // see internal/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/atomics"
)

// slot is what a root stands for: a word that collectors look at, and the local count of those who hold it. Slots are made in pages that stay with the
// heap, so whoever is late with one touches a slot at worst.
type slot struct {
	ref  atomics.Release[uint64] // what is held; 0 is nothing. Also, for a moment, what Get is not sure of yet.
	use  atomics.Release[uint64] // generation<<32 | count; the generation grows when the last holder drops it
	heap *Heap
	next *slot // in the magazine or batch that it is in; its holder's
}

// page is some slots. Pages are only ever added.
type page struct {
	slots [slotsPerPage]slot
	next  *page
}

// batch is a chain of slots on its way from one processor to another. It is a fresh one each time, so that there is no ABA.
type batch struct {
	slots *slot
	next  *batch
}

const one = uint64(1)

// hold makes the caller, who alone has the slot, its holder, and returns the generation.
func (s *slot) hold() uint32 {
	u := s.use.Load() + one
	s.use.Store(u)
	return uint32(u >> 32)
}

// held reports whether somebody holds the slot in this generation.
func (s *slot) held(generation uint32) bool {
	u := s.use.Load()
	return uint32(u>>32) == generation && uint32(u) != 0
}

// again counts one more holder.
func (s *slot) again(generation uint32) bool {
	for {
		u := s.use.Load()
		if uint32(u>>32) != generation || uint32(u) == 0 {
			return false
		}
		if uint32(u) == 1<<32-1 {
			panic("gc: a Root was cloned 4294967295 times")
		}
		if s.use.CompareAndSwap(u, u+one) {
			return true
		}
	}
}

// drop counts one holder less. The last one gives the slot to its processor.
func (s *slot) drop(generation uint32) {
	for {
		u := s.use.Load()
		if uint32(u>>32) != generation || uint32(u) == 0 {
			panic(dropped)
		}
		if uint32(u) == 1 {
			break // nobody else holds it, so nobody may count
		}
		if s.use.CompareAndSwap(u, u-one) {
			return
		}
	}
	h := s.heap
	l := h.enter()
	s.ref.Store(0)
	s.use.Store(uint64(generation+1) << 32)
	l.give(h, s)
	h.leave(l)
}

// take returns a slot that nobody holds. The caller has entered.
func (l *local) take(h *Heap) *slot {
	s := l.slots
	if s == nil {
		s = l.refill(h)
	}
	l.slots = s.next
	l.count--
	return s
}

// give takes a slot back. The caller has entered.
func (l *local) give(h *Heap, s *slot) {
	if l.count == slotsPerPage {
		if full := l.spare; full != nil {
			h.putBatch(full)
		}
		l.spare, l.slots, l.count = l.slots, nil, 0
	}
	s.next = l.slots
	l.slots = s
	l.count++
}

// refill returns a chain of slots for an empty magazine: the spare one, one that another processor gave away, or a new page.
func (l *local) refill(h *Heap) *slot {
	l.count = slotsPerPage
	if s := l.spare; s != nil {
		l.spare = nil
		return s
	}
	if s := h.takeBatch(); s != nil {
		return s
	}
	return h.newPage()
}

func (h *Heap) putBatch(s *slot) {
	b := &batch{slots: s}
	for {
		b.next = h.batches.Load()
		if h.batches.CompareAndSwap(b.next, b) {
			return
		}
	}
}

func (h *Heap) takeBatch() *slot {
	for {
		b := h.batches.Load()
		if b == nil {
			return nil
		}
		if h.batches.CompareAndSwap(b, b.next) {
			return b.slots
		}
	}
}

func (h *Heap) newPage() *slot {
	p := new(page)
	for i := range p.slots {
		s := &p.slots[i]
		s.heap = h
		if i+1 < len(p.slots) {
			s.next = &p.slots[i+1]
		}
	}
	for {
		p.next = h.pages.Load()
		if h.pages.CompareAndSwap(p.next, p) {
			return &p.slots[0]
		}
	}
}
