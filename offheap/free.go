package offheap

import (
	"fmt"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pin"
)

// Free gives a block back. It panics if b is no live block of this arena: if b was freed or resized
// before, belongs to another arena, or is the zero Block. It tells 8191 blocks in a row at one
// place apart, and 33,554,431 in builds with the tag freerun_debug, which also say where the block
// was allocated and freed.
//
// Any goroutine may call it, not only the goroutine that allocated the block; it is lock-free. It
// costs one atomic read-modify-write, and a few more for each magazine.
func (a *Arena) Free(b Block) {
	s := a.stateOf("Free", b)
	from := live
	if debug {
		a.acquireLive("Free", s, b)
		from = moving
	}
	a.free(s, b, from)
}

// stateOf returns the state of a Block that the program passed to call. It panics if there is no
// such place.
func (a *Arena) stateOf(call string, b Block) *atomics.Uint32 {
	a.mustBeOpen()
	if b == 0 || b.place() >= a.places || b.class() > a.top {
		a.misuse(call, b)
	}
	return a.states.at(b.place())
}

// misuse panics about a Block that is not live.
func (a *Arena) misuse(call string, b Block) {
	a.mustBeMade()
	panic(fmt.Sprintf("offheap: %s of %v, which is not live in this arena: it was freed or resized before, or belongs to another arena%s", call, b, a.history(b)))
}

// free frees a block that is in phase from. It panics if the block is in another phase.
func (a *Arena) free(s *atomics.Uint32, b Block, from phase) {
	class := b.class()
	fill, tag := a.fillAndTag(b)
	if debug {
		a.recordFree(b)
	}
	if class >= a.cachedClasses {
		if !s.CompareAndSwap(b.state(from), b.state(free)) { // L4
			a.misuse("Free", b)
		}
		a.count(class, fill, tag, -1)
		a.giveBack(b.place(), class)
		return
	}
	c := a.enter()
	if r := &c.racks[class]; r.tryHold() {
		if r.room() {
			done := r.loaded.freeInto(s, b, from)
			r.release()
			if done {
				c.tally.add(class, fill, tag, -1)
			}
			pin.Unpin()
			if !done {
				a.misuse("Free", b)
			}
			return
		}
		r.release()
	}
	pin.Unpin()
	a.freeSlowly(s, b, from)
	a.count(class, fill, tag, -1)
}

// freeInto adds a hint to m, which has room, and makes the block cached. It returns false, without
// the hint, if the block was not in phase from. The holder calls it.
func (m *magazine) freeInto(s *atomics.Uint32, b Block, from phase) bool {
	m.push(b.place())
	if s.CompareAndSwap(b.state(from), b.state(cached)) { // L4
		return true
	}
	m.drop()
	return false
}

// freeSlowly frees a block of a cached class when the processor's magazines are full.
func (a *Arena) freeSlowly(s *atomics.Uint32, b Block, from phase) {
	class := b.class()
	m := a.depots[class].emptyMagazine()
	if !m.freeInto(s, b, from) {
		a.putAway(class, m)
		a.misuse("Free", b)
	}
	c := a.enter()
	if r := &c.racks[class]; r.tryHold() {
		m = r.makeRoom(m)
		r.release()
	}
	pin.Unpin()
	a.putAway(class, m)
}

// Bytes returns the memory of a live block; its length is [Arena.Size]. It is valid until the block
// is freed or resized: after that it is memory of another owner.
//
// Any goroutine may call it; it is wait-free and costs a few instructions. In a build with the tag
// freerun_debug it panics if b is not live; other builds only check that b lies inside the arena.
func (a *Arena) Bytes(b Block) []byte {
	offset, size := a.offset(b.place()), a.bytes(b.class())
	if a.closed.Load() || b == 0 || b.place()+1<<(b.class()&63) > a.places {
		a.mustBeOpen()
		a.misuse("Bytes", b)
	}
	if debug {
		a.mustBeLive("Bytes", b)
	}
	return unsafe.Slice((*byte)(unsafe.Add(a.base, offset)), size)
}

// Size returns the number of bytes of a live block: at least as many as were asked for, up to the
// next power of two.
func (a *Arena) Size(b Block) int {
	if debug {
		a.mustBeLive("Size", b)
	}
	return 1 << (b.class() + a.least)
}

// SizeFor returns the size of the block that an Alloc of size bytes returns, and 0 if no block of
// this arena is so large. It panics if size is negative.
func (a *Arena) SizeFor(size int) int {
	if size < 0 {
		a.refuse(size, 0)
	}
	class := a.classOf(size)
	if class > a.top {
		return 0
	}
	return int(a.bytes(class))
}
