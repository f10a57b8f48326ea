package offheap

import "github.com/freerun-go/freerun/internal/sys/pin"

// Cached blocks are not lost to other processors. Every magazine is in its class's list, whichever
// processor holds it, and a hint is as good as a block to the call that changes the block's state
// first. So no Alloc fails while caches have blocks, even if their processors stand still.

// steal takes a block of a class from any cache and returns it live, or 0 if there is none.
func (a *Arena) steal(class, fill uint, tag Tag) Block {
	for m := a.depots[class].all.Load(); m != nil; m = m.next {
		for i := range min(int(m.count.Load()), len(m.hints)) {
			if b := a.claim(uint64(m.hints[i].Load()), class, fill, tag); b != 0 {
				return b
			}
		}
	}
	return 0
}

// reclaim gives all cached blocks to the buddy system, so that they coalesce, and returns their
// bytes.
func (a *Arena) reclaim() (bytes uint64) {
	for class := range a.depots {
		for m := a.depots[class].all.Load(); m != nil; m = m.next {
			for i := range min(int(m.count.Load()), len(m.hints)) {
				bytes += a.release(uint64(m.hints[i].Load()))
			}
		}
	}
	return bytes
}

// tidy drops the wrong hints of the caller's processor and of the depots. An Alloc that found no
// memory calls it: a reclaim has just made all hints wrong, and the next Alloc that finds none
// would check each again.
func (a *Arena) tidy() {
	for class := range a.depots {
		c := a.enter()
		if r := &c.racks[class]; r.tryHold() {
			r.loaded.tidy(a)
			r.spare.tidy(a)
			r.release()
		}
		pin.Unpin()
		d := &a.depots[class]
		for i := range d.full {
			if d.full[i].Load() != nil {
				m := d.full[i].Swap(nil)
				m.tidy(a)
				a.putAway(uint(class), m)
			}
		}
	}
}

// tidy drops the latest hints as far as they are wrong. m may be nil. The holder calls it.
func (m *magazine) tidy(a *Arena) {
	for !m.empty() {
		place := uint64(m.hints[m.count.Load()-1].Load())
		if phase(a.states.at(place).Load()&phaseMask) == cached {
			return
		}
		m.drop()
	}
}
