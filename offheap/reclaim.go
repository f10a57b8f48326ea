package offheap

import "github.com/freerun-go/freerun/internal/sys/pin"

// What is cached is not lost to others: every magazine is in its class's list, whoever holds it, and a hint is as good as a block to whoever changes the
// block's state first. So nobody is out of memory while others have some in their caches, even if they stand still.

// steal takes a block of a class out of any cache, and returns it live, or 0 if there is none.
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

// reclaim gives all cached blocks to the buddy system, so that they coalesce, and returns how many bytes those were.
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

// tidy drops the hints of the caller's processor, and of the depots, that are wrong. Whoever has found no memory does so, as there are many then: all that was
// cached was taken from where it is still said to be, and the next to find none would look at each again.
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

// tidy drops the latest hints that are wrong. m may be nil. The holder.
func (m *magazine) tidy(a *Arena) {
	for !m.empty() {
		place := uint64(m.hints[m.count.Load()-1].Load())
		if phase(a.states.at(place).Load()&phaseMask) == cached {
			return
		}
		m.drop()
	}
}
