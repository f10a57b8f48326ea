package offheap

import (
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/internal/sys/pin"
)

// Source:     magazines and a depot after J. Bonwick and J. Adams, Magazines and Vmem, USENIX 2001.
//             Ours: a magazine holds hints, and the call that changes a block's state has the
//             block. So blocks can be taken from all caches at any time, and reuse needs no hazard
//             pointers.
// Sketch:     Alloc ←─ loaded, spare (of a processor) ←─ depot (slots) ←─ buddy system
//             Free goes the same way back.
//             Alloc: place = loaded's last hint; CAS(state of place: cached g → live g+1)      (L1)
//             Free:  add a hint to loaded; CAS(state: live g → cached g)                       (L4)
//                    if that fails: remove the hint, panic
//             out of memory: for all hints of all magazines, also of those that are in use:
//                    CAS(state: cached → live), and have the block, or
//                    CAS(state: cached → free) (L2), and give it to the buddy system; try again
// Invariants: I1 a state changes only as the table at phase says. A block that leaves free, or
//             leaves live for moving, is in the hands of one call.
//             I2 the generation in a state grows (until it wraps) each time the block becomes live.
//             So a Block matches one life.
//             I3 if a block is cached, its place is one of the first count hints of a magazine in
//             its class's list: the hint is added before L4, and removed after L1 or L2.
//             I4 a magazine has one holder, or is in a slot, or is empty with held 0.
//             NOT invariant: that a hint is right, or the only one for its place; that a magazine
//             with hints has a block; that a block is in the cache of the processor that freed it.
// Progress:   lock-free. Free is wait-free but for the buddy system, and for the list of magazines
//             if it makes one. Alloc repeats its search only if its own reclaim gave something back
//             that others took first. A stalled thread keeps its magazines from being used as such,
//             but not the blocks in them. It keeps the blocks in its hands: one, or those that
//             refill got, at most a quarter of a magazine. Where pins do not exclude, a call that
//             finds a rack taken does without it.
// Linearize:  Alloc at L1, or in the buddy system.
//             Free at L4.
//             ErrNoMemory where the buddy system found no block, after a reclaim that found none.
// Publish:    Bytes that were written to a block before L4 or L2 are visible to the next owner
//             after L1, or after the buddy system handed the block out: through the state, or
//             through the buddy system's words.
// ABA/memory: a hint may be of a former life. The CAS of the state compares the generation too, so
//             it fails if the block had another life in between. Magazines are never released, so
//             any goroutine may read one. Of each class there are at most two for each processor,
//             sixteen in the depot, and one for each call in progress.
// Cost:       Alloc and Free: one read-modify-write, two plain counts and a pin each. An exchange
//             with the depot, every 64 blocks or 512 KiB: some eight read-modify-writes.
// Checked by: TestExplore…, TestModel, TestStress, TestMisuse, TestCachesAreShared, FuzzArena

// cache belongs to one processor: it has two magazines for each class, and the processor's share of
// the counts. With two magazines a processor that frees and allocates in turns goes on for a whole
// magazine before it needs the depot (J. Bonwick and J. Adams, Magazines and Vmem, USENIX 2001).
type cache struct {
	_     pad.Line
	racks [classes]rack
	tally tally
	_     pad.Line
}

// rack is a processor's two magazines of one class; each may be nil.
type rack struct {
	taken         atomics.Uint32 // where pins do not exclude: 1 while a call holds the rack
	loaded, spare *magazine
}

// tryHold tries to get the rack for the caller, which is pinned. Where pins exclude, the caller has
// it already. Elsewhere another call may hold it; then the caller does without the rack instead of
// waiting.
func (r *rack) tryHold() bool {
	return exclusive || r.taken.Load() == 0 && r.taken.CompareAndSwap(0, 1)
}

// release ends what tryHold began.
func (r *rack) release() {
	if !exclusive {
		r.taken.Store(0)
	}
}

// enter pins the caller and returns the cache of its processor. The caller unpins.
func (a *Arena) enter() *cache {
	for {
		i := pinHere()
		if all := *a.caches.Load(); i < len(all) {
			return all[i]
		}
		pin.Unpin()
		a.growCaches(i)
	}
}

// growCaches makes caches up to index i.
func (a *Arena) growCaches(i int) {
	pin.Grow(&a.caches, i+1, func(int) *cache { return new(cache) })
}

// pop takes a block from the rack. It returns 0 if there is none. The holder calls it.
func (r *rack) pop(a *Arena, class, fill uint, tag Tag) Block {
	if r.loaded != nil {
		if b := r.loaded.pop(a, class, fill, tag); b != 0 {
			return b
		}
	}
	if r.spare.empty() {
		return 0
	}
	r.loaded, r.spare = r.spare, r.loaded
	return r.loaded.pop(a, class, fill, tag)
}

// room makes room for one more block in loaded. It returns false if both magazines are full. The
// holder calls it.
func (r *rack) room() bool {
	if r.loaded.hasRoom() {
		return true
	}
	if r.spare.hasRoom() {
		r.loaded, r.spare = r.spare, r.loaded
		return true
	}
	return false
}

// take puts a magazine that the caller holds in place of an empty one, loaded first. It returns the
// magazine that the caller holds instead, perhaps nil. The holder calls it.
func (r *rack) take(m *magazine) *magazine {
	switch {
	case r.loaded.empty():
		r.loaded, m = m, r.loaded
	case r.spare.empty():
		r.spare, m = m, r.spare
	}
	return m
}

// makeRoom puts an empty magazine into the rack unless there is room already. It returns the
// magazine that the caller holds instead, perhaps nil. The holder calls it.
func (r *rack) makeRoom(m *magazine) *magazine {
	if r.room() {
		return m
	}
	m, r.spare, r.loaded = r.spare, r.loaded, m
	return m
}
