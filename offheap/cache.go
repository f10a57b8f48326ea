package offheap

import (
	"github.com/freerun-go/freerun/internal/atomics"
	"github.com/freerun-go/freerun/internal/pad"
	"github.com/freerun-go/freerun/internal/pin"
)

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

// hold tries to get the rack for the caller, who is pinned. Where pins exclude, that is so already; elsewhere others may have it, and the caller does
// without rather than wait.
func (r *rack) hold() bool {
	return pin.Exclusive || r.taken.Load() == 0 && r.taken.CompareAndSwap(0, 1)
}

// letGo ends what hold began.
func (r *rack) letGo() {
	if !pin.Exclusive {
		r.taken.Store(0)
	}
}

// enter pins the caller and returns the cache of its processor. The caller unpins.
func (a *Arena) enter() *cache {
	for {
		i := pin.Pin()
		if all := *a.caches.Load(); i < len(all) {
			return all[i]
		}
		pin.Unpin()
		a.moreCaches(i)
	}
}

// moreCaches makes caches up to number i.
func (a *Arena) moreCaches(i int) {
	for {
		old := a.caches.Load()
		if i < len(*old) {
			return
		}
		all := append(make([]*cache, 0, i+1), *old...)
		for len(all) <= i {
			all = append(all, new(cache))
		}
		if a.caches.CompareAndSwap(old, &all) {
			return
		}
	}
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
