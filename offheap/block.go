package offheap

import (
	"fmt"
	"math/bits"
)

// Block refers to a block of one arena. It is an offset, not an address, with what tells blocks that were at the same place one after the other
// apart; a program keeps it and passes it on, and looks at nothing inside. It holds no pointer, so a Block may be kept in a block. The zero Block
// is none. Blocks are comparable: equal ones refer to the same block.
type Block uint64

// IsNone reports whether b is the zero Block, which refers to nothing.
func (b Block) IsNone() bool { return b == 0 }

// A Block is the block's place, in units of the smallest block, and above it the check, which is in the block's state too:
//
//	63            34 33             0        31                2 1    0
//	┌───────────────┬────────────────┐       ┌─────────────────┬──────┐
//	│ check         │ place          │       │ check           │ phase│  a block's state
//	└───────────────┴────────────────┘       └─────────────────┴──────┘
//	check: generation | tag | fill | class
//
// The generation is never 0, so no Block is.
const (
	placeBits = 34
	placeMask = 1<<placeBits - 1

	phaseBits = 2
	classBits = 5
	fillBits  = 6
	tagBits   = 6
	genBits   = 32 - phaseBits - classBits - fillBits - tagBits

	fillShift = classBits
	tagShift  = fillShift + fillBits
	genShift  = tagShift + tagBits
)

// phase says whose a block is.
type phase uint32

const (
	free   phase = iota // the buddy system's, or a part of something larger
	cached              // in a cache: whoever changes the state may have it
	live                // the program's
)

func (b Block) place() uint64 { return uint64(b) & placeMask }

func (b Block) class() uint { return uint(b>>placeBits) & (1<<classBits - 1) }

// fill is how much of the block was asked for, in 64ths, less one.
func (b Block) fill() uint { return uint(b>>(placeBits+fillShift)) & (1<<fillBits - 1) }

func (b Block) tag() Tag { return Tag(b >> (placeBits + tagShift) & (1<<tagBits - 1)) }

// state returns the word of the block while it is in phase p.
func (b Block) state(p phase) uint32 { return uint32(b>>placeBits)<<phaseBits | uint32(p) }

// blockAt returns the block that a state word tells of.
func blockAt(place uint64, state uint32) Block {
	return Block(uint64(state>>phaseBits)<<placeBits | place)
}

// nextBlock returns the block that begins where before was the latest one, in its next generation.
func nextBlock(place uint64, before uint32, class, fill uint, tag Tag) Block {
	gen := (before>>(phaseBits+genShift) + 1) & (1<<genBits - 1)
	if gen == 0 {
		gen = 1
	}
	check := uint64(gen)<<genShift | uint64(tag)<<tagShift | uint64(fill)<<fillShift | uint64(class)
	return Block(check<<placeBits | place)
}

// classOf returns the class of the blocks that size bytes fit in: 0 is the smallest.
func (a *Arena) classOf(size int) uint {
	if size <= 1<<a.least {
		return 0
	}
	return uint(bits.Len(uint(size-1))) - a.least
}

func fillOf(size int, class, least uint) uint {
	if size == 0 {
		return 0
	}
	return uint((uint64(size)<<fillBits-1)>>(class+least)) & (1<<fillBits - 1)
}

// slot returns where in the table of states the state of the block at a place is. Places that larger blocks can begin at come first: blocks of a
// kilobyte share a cache line with sixteen others, although there could be blocks of 32 bytes between them, and untouched states take no memory.
//
//	group of 8:  place 0 4 2 6 1 3 5 7
func slot(place uint64) uint64 {
	in := place & (groupSize - 1)
	if in == 0 {
		return place
	}
	zeros := uint(bits.TrailingZeros64(in))
	return place - in + (groupSize|in)>>(zeros+1)
}

const groupSize = 1 << 15

// String returns the block for messages: its offset in units of the smallest block, and its generation.
func (b Block) String() string {
	if b == 0 {
		return "no block"
	}
	return fmt.Sprintf("block at unit %d of class %d, generation %d", b.place(), b.class(), uint64(b)>>(placeBits+genShift))
}
