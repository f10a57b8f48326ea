package offheap

import (
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// magazine holds hints: places of cached blocks of one class. It has one holder at a time: a
// processor, a call, or a slot of a depot. Only the holder changes it; any goroutine may read it
// (reclaim.go).
//
// A hint may be wrong. The block's state alone says whether it is cached, and the call that changes
// the state takes the block.
type magazine struct {
	_     pad.Line
	next  *magazine // of the class's list of all; written before m is in the list
	hints []atomics.RelaxedIndex
	count atomics.RelaxedIndex // hints before this index are places
	held  atomics.Uint32       // 1 while there is a holder; m is empty otherwise
	_     pad.Line
}

// newMagazine returns an empty magazine with room for room hints, which the caller holds.
func newMagazine(room int) *magazine {
	const apart = pad.Size / 8 // hints: others' words are on other lines
	m := &magazine{hints: make([]atomics.RelaxedIndex, room+2*apart)[apart : apart+room : apart+room]}
	m.held.Store(1)
	return m
}

// empty reports whether there is no hint. m may be nil. The holder calls it.
func (m *magazine) empty() bool { return m == nil || m.count.Load() == 0 }

// hasRoom reports whether there is room for a hint. m may be nil. The holder calls it.
func (m *magazine) hasRoom() bool { return m != nil && int(m.count.Load()) < len(m.hints) }

// push adds a hint; there must be room. The holder calls it before the block becomes cached: so a
// cached block has a hint at any time.
func (m *magazine) push(place uint64) {
	n := m.count.Load()
	m.hints[n].Store(uintptr(place))
	m.count.Store(n + 1)
}

// drop removes the latest hint. The holder calls it after the block has ceased to be cached.
func (m *magazine) drop() { m.count.Store(m.count.Load() - 1) }

// pop takes a block that m has a hint of, and returns it live. It returns 0 and leaves m empty if
// there is none. The holder calls it.
func (m *magazine) pop(a *Arena, class, fill uint, tag Tag) Block {
	for n := m.count.Load(); n > 0; n-- {
		place := uint64(m.hints[n-1].Load())
		b := a.claim(place, class, fill, tag)
		m.count.Store(n - 1)
		if b != 0 {
			return b
		}
	}
	return 0
}

// claim makes the block at a place live if it is cached and of that class, and returns it;
// otherwise 0.
func (a *Arena) claim(place uint64, class, fill uint, tag Tag) Block {
	s := a.states.at(place)
	was := s.Load()
	if was&(phaseMask|(classes-1)<<phaseBits) != uint32(class)<<phaseBits|uint32(cached) {
		return 0
	}
	b := a.nextBlock(place, was, class, fill, tag)
	if !s.CompareAndSwap(was, b.state(live)) { // L1
		return 0
	}
	return b
}

// magazineRoomMost is the most blocks that a magazine has room for, in any build.
const magazineRoomMost = 64
