package offheap

import (
	"math/bits"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/internal/sys/pin"
)

// depot is where processors exchange the magazines of one class: a fixed number of slots. A
// processor puts a magazine into a slot by compare-and-swap, and takes one by swap. Nothing is
// linked, so there is no ABA, and the number of kept magazines is bounded.
type depot struct {
	_    pad.Line
	full [fullSlots]atomics.Pointer[magazine]
	all  atomics.Pointer[magazine] // all magazines of this class; it only grows
	room int                       // blocks of a magazine; immutable
	_    pad.Line
}

const (
	slotBits  = 4
	fullSlots = 1 << slotBits
)

// openDepots makes the depots of the cached classes. A magazine has at most magazineRoom blocks,
// magazineBytes bytes and a share of the arena that shrinks with the number of processors. A class
// whose magazine would have less than two blocks is not cached.
func (a *Arena) openDepots() {
	most := min(magazineBytes, a.size/arenaShare/uint64(processors()))
	for class := uint(0); class <= a.top; class++ {
		room := min(magazineRoom, most>>(class+a.least))
		if room < 2 {
			break
		}
		a.cachedClasses = class + 1
		a.depots = append(a.depots, depot{room: int(room)})
	}
}

// put puts a magazine into a slot. It returns false if all slots are taken.
func (d *depot) put(m *magazine) bool {
	first := firstSlot()
	for i := range uint(fullSlots) {
		s := &d.full[(first+i)%fullSlots]
		if s.Load() == nil && s.CompareAndSwap(nil, m) {
			return true
		}
	}
	return false
}

// take takes a magazine from a slot. It returns nil if there is none.
func (d *depot) take() *magazine {
	first := firstSlot()
	for i := range uint(fullSlots) {
		s := &d.full[(first+i)%fullSlots]
		if s.Load() != nil {
			if m := s.Swap(nil); m != nil {
				return m
			}
		}
	}
	return nil
}

// firstSlot returns the slot at which the processor begins to look, far from those of other
// processors. So a processor mostly gets back the magazines that it put away, and blocks stay with
// the processor whose cache has their lines.
func firstSlot() uint {
	i := pinHere()
	pin.Unpin()
	return uint(bits.Reverse8(uint8(i)) >> (8 - slotBits))
}

// emptyMagazine returns an empty magazine, which the caller holds.
func (d *depot) emptyMagazine() *magazine {
	for m := d.all.Load(); m != nil; m = m.next {
		if m.held.Load() == 0 && m.held.CompareAndSwap(0, 1) {
			return m
		}
	}
	m := newMagazine(d.room)
	for {
		m.next = d.all.Load()
		if d.all.CompareAndSwap(m.next, m) {
			return m
		}
	}
}

// putAway puts a magazine that the caller holds into the depot. If the depot is full, the blocks go
// to the buddy system. m may be nil.
func (a *Arena) putAway(class uint, m *magazine) {
	if m == nil {
		return
	}
	d := &a.depots[class]
	if !m.empty() {
		if d.put(m) {
			return
		}
		a.drain(m)
	}
	m.held.Store(0)
}

// drain gives all blocks of a magazine that the caller holds to the buddy system.
func (a *Arena) drain(m *magazine) {
	for !m.empty() {
		a.release(uint64(m.hints[m.count.Load()-1].Load()))
		m.drop()
	}
}

// release gives the block at a place to the buddy system if it is cached, and returns its size;
// otherwise 0.
func (a *Arena) release(place uint64) uint64 {
	s := a.states.at(place)
	was := s.Load()
	if phase(was&phaseMask) != cached || !s.CompareAndSwap(was, was&^phaseMask|uint32(free)) { // L2
		return 0
	}
	class := blockAt(place, was).class()
	a.giveBack(place, class)
	return a.bytes(class)
}
