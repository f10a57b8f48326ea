package offheap

import (
	"fmt"
	"slices"

	"github.com/freerun-go/freerun/internal/sys/pin"
)

// Alloc returns a block of at least size bytes: of the next power of two, and at least the smallest
// block. Its contents are undefined. A size of 0 gives a smallest block; a negative size panics.
// The error is [ErrNoMemory]: at some instant of the call there was no free block of that size,
// except blocks in the hands of calls in progress.
//
// Any goroutine may call it; it is lock-free. It costs one atomic read-modify-write if the
// processor's cache has such a block, as after a Free, and a few more for each magazine. Before it
// returns ErrNoMemory it looks through all caches: some microseconds, and some tens the first time.
func (a *Arena) Alloc(size int) (Block, error) { return a.alloc(size, 0, false) }

// AllocTagged is [Arena.Alloc] for a block with a tag, under which [Stats] counts it. A tag of
// [Tags] or more panics.
func (a *Arena) AllocTagged(size int, tag Tag) (Block, error) { return a.alloc(size, tag, false) }

// AllocZero is [Arena.Alloc] for a block whose bytes are all 0. Large blocks whose pages were never
// touched, or not since [Arena.Trim], are zero already and cost nothing more.
func (a *Arena) AllocZero(size int) (Block, error) { return a.alloc(size, 0, true) }

func (a *Arena) alloc(size int, tag Tag, zero bool) (Block, error) {
	if size < 0 || tag >= Tags || a.closed.Load() {
		a.refuse(size, tag)
	}
	class := a.classOf(size)
	if class > a.top {
		a.mustBeMade()
		return 0, fmt.Errorf("%w: %d bytes are more than a block of this arena can have, %d", ErrNoMemory, size, a.bytes(a.top))
	}
	fill := fillOf(size, class+a.least)
	if class < a.cachedClasses {
		c := a.enter()
		if r := &c.racks[class]; r.tryHold() {
			b := r.pop(a, class, fill, tag)
			r.release()
			if b != 0 {
				c.tally.add(class, fill, tag, 1)
				pin.Unpin()
				if debug {
					a.checkPoison(b, true)
					a.recordAlloc(b, size, tag)
				}
				if zero {
					clear(a.span(a.offset(b.place()), a.bytes(class)))
				}
				return b, nil
			}
		}
		pin.Unpin()
	}
	b := a.allocSlowly(class, fill, tag, zero)
	if b == 0 {
		return 0, fmt.Errorf("%w for a block of %d bytes", ErrNoMemory, a.bytes(class))
	}
	a.count(class, fill, tag, 1)
	if debug {
		a.recordAlloc(b, size, tag)
	}
	return b, nil
}

// refuse panics about the arguments of an allocation.
func (a *Arena) refuse(size int, tag Tag) {
	a.mustBeOpen()
	if size < 0 {
		panic(fmt.Sprintf("offheap: a block of %d bytes: a size is 0 or more", size))
	}
	panic(fmt.Sprintf("offheap: tag %d: a tag is less than %d", tag, Tags))
}

// mustBeMade panics for the zero Arena. That has no blocks and no caches, so only code that has
// found none calls it.
func (a *Arena) mustBeMade() {
	if a == nil || a.space == nil {
		panic("offheap: a nil or zero Arena; make arenas with New")
	}
}

func (a *Arena) mustBeOpen() {
	if a.closed.Load() {
		panic("offheap: the arena is closed")
	}
}

// allocSlowly returns a block from the depot, the buddy system or any cache, or 0.
func (a *Arena) allocSlowly(class, fill uint, tag Tag, zero bool) Block {
	a.mustBeMade()
	cached := class < a.cachedClasses
	if cached {
		if b := a.allocFromDepot(class, fill, tag); b != 0 {
			return a.prepared(b, zero, true)
		}
	}
	for {
		if b := a.allocNew(class, fill, tag, zero); b != 0 {
			return b
		}
		if cached {
			if b := a.steal(class, fill, tag); b != 0 {
				return a.prepared(b, zero, true)
			}
		}
		if a.reclaim() == 0 {
			a.tidy()
			return 0
		}
	}
}

// allocNew takes a block from the buddy system, and further blocks to refill the cache. It returns
// 0 if there is none.
func (a *Arena) allocNew(class, fill uint, tag Tag, zero bool) Block {
	take := a.takeOut
	if class < a.cachedClasses && a.depots[class].room >= 2*refillPart {
		take = a.refill
	}
	place, ok := take(class, zero)
	if !ok {
		return 0
	}
	b := a.newBlock(place, class, fill, tag)
	if debug {
		return a.prepared(b, zero, false)
	}
	return b
}

// newBlock makes a live block of memory that the buddy system has handed out.
func (a *Arena) newBlock(place uint64, class, fill uint, tag Tag) Block {
	s := a.states.at(place)
	b := a.nextBlock(place, s.Load(), class, fill, tag)
	s.Store(b.state(live))
	return b
}

// prepared gives a block the contents that its allocation promises. whole says that the block was
// freed as it is, so a debug build expects nothing but poison.
func (a *Arena) prepared(b Block, zero, whole bool) Block {
	if debug {
		a.checkPoison(b, whole)
	}
	if zero {
		clear(a.span(a.offset(b.place()), a.bytes(b.class())))
	}
	return b
}

// allocFromDepot takes a magazine from the depot, and a block from the magazine. It returns 0 if
// there is none.
func (a *Arena) allocFromDepot(class, fill uint, tag Tag) Block {
	d := &a.depots[class]
	for {
		m := d.take()
		if m == nil {
			return 0
		}
		b := m.pop(a, class, fill, tag)
		a.putMagazine(class, m)
		if b != 0 {
			return b
		}
	}
}

// putMagazine puts a magazine that the caller holds into the processor's rack, if that lacks one,
// or else away.
func (a *Arena) putMagazine(class uint, m *magazine) {
	if !m.empty() {
		c := a.enter()
		if r := &c.racks[class]; r.tryHold() {
			m = r.take(m)
			r.release()
		}
		pin.Unpin()
	}
	a.putAway(class, m)
}

// refillPart is the part of a magazine with which a cache is refilled at once.
const refillPart = 4

// refill is takeOut with further blocks, which go into the cache.
func (a *Arena) refill(class uint, zero bool) (place uint64, ok bool) {
	d := &a.depots[class]
	var offsets [magazineRoomMost / refillPart]uint64
	n := a.space.AllocSome(a.order(class), offsets[:min(d.room/refillPart, len(offsets))])
	if n == 0 {
		return 0, false
	}
	a.addTaken(int64(n) * int64(a.bytes(class)))
	if n > 1 {
		m := d.emptyMagazine()
		for _, offset := range slices.Backward(offsets[1:n]) { // so the first comes next
			a.pages.touch(offset, 1<<a.order(class))
			place := offset >> (a.least + guard)
			m.push(place)
			s := a.states.at(place)
			b := a.nextBlock(place, s.Load(), class, 0, 0)
			if debug {
				a.checkPoison(b, false)
				a.recordFree(b)
			}
			s.Store(b.state(cached)) // L3
		}
		a.putMagazine(class, m)
	}
	return a.touched(offsets[0], class, zero), true
}

// takeOut takes a block from the buddy system and returns its place. If zero, and not in a debug
// build, the block's bytes are all 0.
func (a *Arena) takeOut(class uint, zero bool) (place uint64, ok bool) {
	offset, ok := a.space.Alloc(a.order(class))
	if !ok {
		return 0, false
	}
	a.addTaken(int64(a.bytes(class)))
	return a.touched(offset, class, zero), true
}

// touched marks the pages of a block that is about to be used, and returns its place.
func (a *Arena) touched(offset uint64, class uint, zero bool) (place uint64) {
	if size := uint64(1) << a.order(class); zero && !debug {
		a.touchZeroed(offset, size)
	} else {
		a.pages.touch(offset, size)
	}
	return offset >> (a.least + guard)
}

// addTaken counts bytes that the buddy system handed out, or took back if negative.
func (a *Arena) addTaken(bytes int64) {
	now := a.taken.Add(bytes)
	if bytes < 0 {
		return
	}
	for {
		peak := a.peak.Load()
		if now <= peak || a.peak.CompareAndSwap(peak, now) {
			return
		}
	}
}

// giveBack gives a block to the buddy system. The block's state says that it is free.
func (a *Arena) giveBack(place uint64, class uint) {
	if !a.space.Free(a.offset(place), a.order(class)) {
		panic(fmt.Sprintf("offheap: the state of the arena is corrupt: block %d of %d bytes is not handed out", place, a.bytes(class)))
	}
	a.addTaken(-int64(a.bytes(class)))
}
