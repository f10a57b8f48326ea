package offheap

import (
	"math/bits"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// states is the table of the states of all places. It consists of groups of places. Each group has
// three parts, with the places in order: those at which blocks of 8 KiB can begin, each with a
// cache line of its own; those at which blocks of 512 bytes can begin; all others.
//
//	group of a mebibyte, with places of 32 bytes:
//	128 lines | 2048 states, on 128 lines | 32768 states
//
// So the states of blocks that lie together lie together. While there is plenty of room, a cache is
// refilled with 16 blocks of 512 bytes or more side by side; their states share no line with those
// of another processor. And unused states take no memory: larger blocks use the first pages of each
// group only.
type states struct {
	words  []atomics.Uint32
	log    uint   // log2 of the places of a group
	middle uint   // log2 of the places from one for a block of 512 bytes to the next
	large  uint   // the same for 8 KiB
	in     uint64 // the bits of a place that tell where in its group it is
	inner  uint64 // the bits that are 0 in a place for a block of 512 bytes
	outer  uint64 // the same for 8 KiB
	second uint64 // the word of a group at which the second part begins
	third  uint64 // the word of a group at which the third part begins
	stride uint64 // words of a group
	memory []byte // the words' memory, if it is to be given back
}

const (
	// maxGroup is the number of places of a group, except of one that is the whole table: for
	// blocks of 512 bytes and more some four pages of states each mebibyte.
	maxGroup = 1 << 15
	// middleOrder and largeOrder are the orders of the smallest blocks in the second and in the
	// first part.
	middleOrder, largeOrder = 9, 13
	// apart is the number of states on a line.
	apart = 16
)

// init makes the table for a number of places of 1<<least bytes.
func (t *states) init(places uint64, least uint) (err error) {
	group := min(maxGroup, uint64(1)<<bits.Len64(places-1))
	t.log = uint(bits.TrailingZeros64(group))
	t.middle, t.large = max(middleOrder, least)-least, max(largeOrder, least)-least
	t.in, t.inner, t.outer = group-1, 1<<t.middle-1, 1<<t.large-1
	t.second = max(1, group>>t.large) * apart
	t.third = t.second + max(apart, group>>t.middle)
	t.stride = t.third
	if t.middle > 0 {
		t.stride += max(apart, group)
	}
	t.words, t.memory, err = reserveStates((places + group - 1) >> t.log * t.stride)
	return err
}

// slot returns the index in the table of the state of a place.
func (t *states) slot(place uint64) uint64 {
	// Shifts by less than 64, as the compiler is told, need no check.
	base, in := place>>(t.log&63)*t.stride, place&t.in
	switch {
	case in&t.outer == 0:
		return base + in>>(t.large&63)*apart
	case in&t.inner == 0:
		return base + t.second + in>>(t.middle&63)
	}
	return base + t.third + in
}

// at returns the state of a place.
func (t *states) at(place uint64) *atomics.Uint32 { return &t.words[t.slot(place)] }
