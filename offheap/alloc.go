package offheap

import (
	"fmt"
	"unsafe"
)

// Tag says what blocks are for, so that [Stats] can tell how much is live for what. 0 is for blocks without a tag.
type Tag uint8

// Tags is how many tags there are: they are less than it.
const Tags = 1 << tagBits

// Alloc returns a block of at least size bytes, from 0 on; its size is the next power of two. What is in it is not defined. The error is
// [ErrNoMemory].
func (a *Arena) Alloc(size int) (Block, error) { return a.AllocTagged(size, 0) }

// AllocTagged is [Arena.Alloc] for a block with a tag, less than [Tags].
func (a *Arena) AllocTagged(size int, tag Tag) (Block, error) {
	a.open()
	if size < 0 || tag >= Tags {
		panic(fmt.Sprintf("offheap: Alloc of %d bytes with tag %d: a size is not negative, and a tag less than %d", size, tag, Tags))
	}
	class := a.classOf(size)
	if class > a.top {
		return 0, fmt.Errorf("%w: a block of %d bytes is more than the arena's %d", ErrNoMemory, size, a.size)
	}
	offset, ok := a.space.Alloc(class + a.least)
	if !ok {
		return 0, fmt.Errorf("%w for a block of %d bytes", ErrNoMemory, uint64(1)<<(class+a.least))
	}
	place := offset >> a.least
	state := &a.states[slot(place)]
	b := nextBlock(place, state.Load(), class, fillOf(size, class, a.least), tag)
	state.Store(b.state(live))
	a.blocks.Add(1)
	a.bytes.Add(1 << (class + a.least))
	return b, nil
}

// AllocZero is [Arena.Alloc] for a block whose bytes are all 0.
func (a *Arena) AllocZero(size int) (Block, error) {
	b, err := a.Alloc(size)
	if err == nil {
		clear(a.Bytes(b))
	}
	return b, err
}

// Free gives a block back. It panics if b is no live block of this arena: if it was freed before, belongs to another arena, or is the zero Block.
func (a *Arena) Free(b Block) {
	a.open()
	if b.place() >= uint64(1)<<a.top || !a.states[slot(b.place())].CompareAndSwap(b.state(live), b.state(free)) {
		a.misuse("Free", b)
	}
	a.blocks.Add(-1)
	a.bytes.Add(-1 << (b.class() + a.least))
	if !a.space.Free(a.offset(b), b.class()+a.least) {
		panic("offheap: the books disagree about " + b.String())
	}
}

// misuse panics about a block that is none.
func (a *Arena) misuse(call string, b Block) {
	panic(fmt.Sprintf("offheap: %s of %v, which is not live in this arena: it was freed before, or is another's", call, b))
}

// Resize returns a block of at least size bytes with what was in b, as far as it fits; what is beyond that is not defined. b is freed, unless there is
// an error, which leaves it as it was: use the block that is returned, even where it stayed at its place. The error is [ErrNoMemory].
func (a *Arena) Resize(b Block, size int) (Block, error) {
	next, err := a.AllocTagged(size, b.tag())
	if err != nil {
		return b, err
	}
	copy(a.Bytes(next), a.Bytes(b))
	a.Free(b)
	return next, nil
}

// Bytes returns the memory of a live block, all of it. It is valid until the block is freed, and a program must not touch it afterwards.
func (a *Arena) Bytes(b Block) []byte {
	a.open()
	offset, size := a.offset(b), uint64(1)<<(b.class()+a.least)
	if b == 0 || offset+size > a.size {
		a.misuse("Bytes", b)
	}
	return unsafe.Slice((*byte)(a.at(offset)), size)
}

// Size returns how many bytes a block has.
func (a *Arena) Size(b Block) int { return 1 << (b.class() + a.least) }
