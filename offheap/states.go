package offheap

import (
	"math/bits"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// states is the table of the states of all places. It is in groups of places, and each group in three parts, in which the places are in order: those that blocks of 8 KiB can
// begin at, each with a line of its own; those that blocks of 512 bytes can begin at; all others.
//
//	group of a mebibyte, with places of 32 bytes:   128 lines | 2048 states, on 128 lines | 32768 states
//
// So states of blocks that lie together do: what a cache is refilled with while there is plenty of room, 16 blocks of 512 bytes or more side by side, shares no line with what another processor gets. And states that nobody
// needs take no memory: larger blocks use the first pages of each group only.
type states struct {
	words  []atomics.Uint32
	log    uint   // log2 of the places of a group
	middle uint   // log2 of the places from one that a block of 512 bytes can begin at to the next
	large  uint   // the same, of 8 KiB
	second uint64 // where in a group the second part begins, in words
	third  uint64 // and the third
	stride uint64 // words of a group
	memory []byte // where they are, if that is to be given back
}

const (
	// maxGroup is how many places a group has that is not all there are: for blocks of 512 bytes and more some four pages of states each mebibyte.
	maxGroup = 1 << 15
	// middleOrder and largeOrder are those of the smallest blocks in the second and in the first part.
	middleOrder, largeOrder = 9, 13
	// apart is how many states are as large as a line.
	apart = 16
)

// init makes the table for so many places of blocks of 1<<least bytes.
func (t *states) init(places uint64, least uint) (err error) {
	group := min(maxGroup, uint64(1)<<bits.Len64(places-1))
	t.log = uint(bits.TrailingZeros64(group))
	t.middle, t.large = max(middleOrder, least)-least, max(largeOrder, least)-least
	t.second = max(1, group>>t.large) * apart
	t.third = t.second + max(apart, group>>t.middle)
	t.stride = t.third
	if t.middle > 0 {
		t.stride += max(apart, group)
	}
	t.words, t.memory, err = reserveStates((places + group - 1) >> t.log * t.stride)
	return err
}

// slot returns where in the table the state of a place is.
func (t *states) slot(place uint64) uint64 {
	base, in := place>>t.log*t.stride, place&(1<<t.log-1)
	switch {
	case in&(1<<t.large-1) == 0:
		return base + in>>t.large*apart
	case in&(1<<t.middle-1) == 0:
		return base + t.second + in>>t.middle
	}
	return base + t.third + in
}

// at returns the state of a place.
func (t *states) at(place uint64) *atomics.Uint32 { return &t.words[t.slot(place)] }
