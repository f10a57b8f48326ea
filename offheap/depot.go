package offheap

import (
	"math/bits"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/internal/sys/pin"
)

// depot is where processors exchange the magazines of one class. It is a fixed number of slots, which a magazine is put into by compare-and-swap and
// taken from by swap: nothing is linked, so there is no ABA, and what is kept is bounded.
type depot struct {
	_    pad.Line
	full [fullSlots]atomics.Pointer[magazine]
	all  atomics.Pointer[magazine] // every magazine that there is of this class; it only grows
	room int                       // of a magazine; immutable
	_    pad.Line
}

const (
	slotBits  = 4
	fullSlots = 1 << slotBits
)

// openDepots makes the depots of the classes that are cached. A magazine has at most magazineRoom blocks, magazineBytes bytes and a share of the
// arena that shrinks as processors grow in number; a class of which a magazine would have less than two blocks is not cached.
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

// put puts a magazine into a slot, and reports false if all are taken.
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

// take takes a magazine out of a slot, and returns nil if there is none.
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

// firstSlot returns where the processor begins to look, far from where others do: so what it puts away it mostly gets back, and blocks stay with the processor in
// whose cache memory they are.
func firstSlot() uint {
	i := pinHere()
	pin.Unpin()
	return uint(bits.Reverse8(uint8(i)) >> (8 - slotBits))
}

// emptyMagazine returns an empty magazine, which is the caller's.
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

// putAway puts away a magazine that the caller holds, nil for none: into the depot, or else what it has goes to the buddy system.
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

// release gives the block at a place to the buddy system if it is cached, and returns its size, or 0.
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
