package offheap

import (
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/internal/sys/pin"
)

// Source:     magazines and a depot after J. Bonwick and J. Adams, Magazines and Vmem, USENIX 2001. Ours: a magazine holds hints, and a block belongs to
//             whoever changes its state, so that all caches can be taken from at any time; node reuse without hazard pointers follows from the same.
// Sketch:     Alloc ←─ loaded, spare (plain, of a processor) ←─ depot (slots) ←─ buddy system        Free the same way back
//             Alloc: place = loaded's last hint; CAS(state of place: cached g → live g+1)            (L1)
//             Free:  add a hint to loaded; CAS(state: live g → cached g); it failed: take the hint back, panic  (L4)
//             out of memory: for all hints of all magazines, wherever they are: CAS(state: cached → live), and have it,
//                            or CAS(state: cached → free) (L2), and give it to the buddy system; then try again
// Invariants: I1 a state changes as the table at phase says, and what leaves free, or live for moving, is in the hands of one call. I2 the generation in a state
//             grows (until it wraps) each time the block becomes live; so a Block matches one life. I3 if a block is cached, one of the first count hints
//             of a magazine in its class's list is its place: the hint comes before L4, and goes after L1 or L2. I4 a magazine has one holder, or is in a slot, or
//             is empty with held 0. NOT invariant: that a hint is right, or the only one for its place; that a magazine with hints has a
//             block; that a block is in the list of the processor that freed it.
// Progress:   lock-free. Free is wait-free but for the buddy system, and the list of magazines if it makes one. Alloc repeats its search only if its
//             own reclaim gave something back that others took first. A peer that stalls keeps its magazines from being used as such, not the blocks in them; and what is in its hands: one block,
//             or what refill got, at most a quarter of a magazine. Where pins do not exclude, whoever finds a rack taken does without.
// Linearize:  Alloc at L1, or where the buddy system says; Free at L4; no memory where the buddy system found none, after a reclaim that found nothing
// Publish:    what was written to a block before L4 or L2 is visible to who gets it after L1 or from the buddy system: by the state, or by the system's words
// ABA/memory: a hint may be of a former life. The state's CAS compares the generation too, so it fails if the block was anything else in between.
//             Magazines are never given up, so anybody may read one; there are two for each processor, sixteen in the depot, and one for each
//             call under way, of each class.
// Cost:       one read-modify-write for Alloc, one for Free; two plain counts; a pin. Some eight for an exchange with the depot, every 64 blocks or 512 KiB
// Checked by: TestExplore…, TestModel, TestStress, TestMisuse, TestCachesAreShared, FuzzArena

// cache is what belongs to one processor: for each class two magazines, of which one is in use, so that a processor that frees and allocates in turns
// goes on for a magazine before it needs the depot (J. Bonwick and J. Adams, Magazines and Vmem, USENIX 2001); and its share of the counts.
type cache struct {
	_     pad.Line
	racks [classes]rack
	tally tally
	_     pad.Line
}

// rack is a processor's magazines of one class; they may be nil.
type rack struct {
	taken         atomics.Uint32 // where pins do not exclude: 1 while a call has it
	loaded, spare *magazine
}

// tryHold tries to get the rack for the caller, who is pinned. Where pins exclude, that is so already; elsewhere others may have it, and the caller does
// without rather than wait.
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

// growCaches makes caches up to number i.
func (a *Arena) growCaches(i int) {
	pin.Grow(&a.caches, i+1, func(int) *cache { return new(cache) })
}

// pop takes a block of the rack. It returns 0 if there is none. The holder.
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

// room makes room for one more block in loaded, and reports false if there is none. The holder.
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

// take puts a magazine, which the caller holds, into the rack where one is most missed, and returns what the caller holds instead; perhaps nil. The holder.
func (r *rack) take(m *magazine) *magazine {
	switch {
	case r.loaded.empty():
		r.loaded, m = m, r.loaded
	case r.spare.empty():
		r.spare, m = m, r.spare
	}
	return m
}

// makeRoom puts an empty magazine into the rack unless there is room already, and returns what the caller holds instead; perhaps nil. The holder.
func (r *rack) makeRoom(m *magazine) *magazine {
	if r.room() {
		return m
	}
	m, r.spare, r.loaded = r.spare, r.loaded, m
	return m
}
