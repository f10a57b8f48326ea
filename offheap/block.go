package offheap

import (
	"fmt"
	"math/bits"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Block refers to a block of one arena. It is an offset and a check, which tells blocks apart that
// were at the same place one after the other. A program keeps it and passes it on, and looks at
// nothing inside.
//
// A Block holds no pointer, so a block may contain a Block. The zero Block refers to none. Blocks
// may be compared: equal ones refer to the same block.
type Block uint64

// IsZero reports whether b is the zero Block.
func (b Block) IsZero() bool { return b == 0 }

// A Block is the block's place, in units of the smallest block, and above it the check. The block's
// state has the check too:
//
//	63            34 33             0        31                2 1    0
//	┌───────────────┬────────────────┐       ┌─────────────────┬──────┐
//	│ check         │ place          │       │ check           │ phase│  a block's state
//	└───────────────┴────────────────┘       └─────────────────┴──────┘
//	check: generation | tag | fill | class
//
// The generation is never 0, so no Block is 0.
const (
	placeBits = 34
	placeMask = 1<<placeBits - 1

	phaseBits = 2
	phaseMask = 1<<phaseBits - 1
	classBits = 5
	classes   = 1 << classBits
	genBits   = 32 - phaseBits - classBits - fillBits - tagBits

	fillShift = classBits
	tagShift  = fillShift + fillBits
	genShift  = tagShift + tagBits
)

// phase says who owns a block. The transitions are
//
//	free → live            Alloc got it from the buddy system; no other call knows of it
//	free → cached          the same, for a later Alloc
//	cached → live          Alloc, by compare-and-swap: the call that succeeds has the block
//	cached → free          reclaim, by compare-and-swap, before the buddy system gets the block
//	live → cached, → free  Free, by compare-and-swap, so once for each generation
//	live → moving → …      Resize, by compare-and-swap; it ends with live, cached or free
type phase uint32

const (
	free   phase = iota // owned by the buddy system, or a part of a larger block
	cached              // in a cache
	live                // owned by the program
	moving              // owned by a Resize in progress, or by a check of the debug build
)

func (b Block) place() uint64 { return uint64(b) & placeMask }

func (b Block) class() uint { return uint(b>>placeBits) & (classes - 1) }

// fill is the part of the block that was asked for, in 64ths, less one.
func (b Block) fill() uint { return uint(b>>(placeBits+fillShift)) & (1<<fillBits - 1) }

func (b Block) tag() Tag { return Tag(b >> (placeBits + tagShift) & (1<<tagBits - 1)) }

func (b Block) generation() uint32 { return uint32(b >> (placeBits + genShift)) }

// state returns the block's state in phase p.
func (b Block) state(p phase) uint32 { return uint32(b>>placeBits)<<phaseBits | uint32(p) }

// blockAt returns the block with that place and state.
func blockAt(place uint64, state uint32) Block {
	return Block(uint64(state>>phaseBits)<<placeBits | place)
}

// nextBlock returns the block at a place in its next generation. before is the state of the latest
// block there, 0 if there was none.
func (a *Arena) nextBlock(place uint64, before uint32, class, fill uint, tag Tag) Block {
	if before == 0 {
		before = a.salt
	}
	gen := before>>(phaseBits+genShift) + 1
	if gen == 1<<genBits {
		gen = 1
	}
	check := gen<<genShift | uint32(tag)&(1<<tagBits-1)<<tagShift | uint32(fill)&(1<<fillBits-1)<<fillShift | uint32(class)
	return Block(uint64(check)<<placeBits | place)
}

// saltOf returns the generation with which an arena's blocks begin. Each arena begins elsewhere, so
// that it does not accept another arena's blocks.
func saltOf(number uint32) uint32 {
	// 2^32 divided by the golden ratio: the multiples lie far from each other (Knuth, volume 3,
	// section 6.4).
	const golden = 0x9E3779B9
	return number * golden >> (phaseBits + genShift) << (phaseBits + genShift)
}

// arenas counts the arenas that were made.
var arenas atomics.Uint32

// classOf returns the class of the blocks into which size bytes fit: 0 is the smallest.
func (a *Arena) classOf(size int) uint {
	if size <= 1<<(a.least&63) {
		return 0
	}
	return uint(bits.Len(uint(size-1))) - a.least
}

// fillOf returns the part of a block of 1<<order bytes that size is, in 64ths, less one.
func fillOf(size int, order uint) uint {
	if size == 0 {
		return 0
	}
	return uint((uint64(size)<<6 - 1) >> (order & 63))
}

// String returns the block for messages.
func (b Block) String() string {
	if b == 0 {
		return "no block"
	}
	return fmt.Sprintf("block %d of class %d, generation %d", b.place(), b.class(), b.generation())
}
