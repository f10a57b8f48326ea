package offheap

import (
	"math/bits"

	"github.com/freerun-go/freerun/internal/atomics"
)

// states is the table of the states of all places. It is in groups of places, and in each the places that large blocks can begin at come first: so the
// states of blocks of a kilobyte are 16 to a cache line, although there could be 32 blocks between each two, and states that nobody needs take no
// memory.
//
//	place 0 4 2 6 1 3 5 7 in a group of 8
//
// Blocks of 8 KiB and more are few for each line of states, and one processor's lie between another's; so where they can begin, each state has a line of its own.
type states struct {
	words  []atomics.Uint32
	group  uint64 // places of a group, a power of two
	log    uint   // log2 of that
	large  uint64 // how many of them have a line, the first in the group's order
	stride uint64 // words of a group
	memory []byte // where they are, if that is to be given back
}

const (
	// maxGroup is how many places a group has that is not all there are: for blocks of 512 bytes and more some two pages of states each mebibyte.
	maxGroup = 1 << 15
	// largeOrder is that of the smallest blocks whose states are apart.
	largeOrder = 13
	// apart is how many states are as large as a line.
	apart = 16
)

// init makes the table for so many places of blocks of 1<<least bytes.
func (t *states) init(places uint64, least uint) (err error) {
	t.group = min(maxGroup, uint64(1)<<bits.Len64(places-1))
	t.log = uint(bits.TrailingZeros64(t.group))
	t.large = max(1, t.group>>(largeOrder-least))
	t.stride = t.group + (apart-1)*t.large
	t.words, t.memory, err = reserveStates((places + t.group - 1) >> t.log * t.stride)
	return err
}

// slot returns where in the table the state of a place is.
func (t *states) slot(place uint64) uint64 {
	base, in := place>>t.log*t.stride, place&(t.group-1)
	if in != 0 {
		in = (t.group | in) >> (uint(bits.TrailingZeros64(in)) + 1)
	}
	if in < t.large {
		return base + in*apart
	}
	return base + in + t.large*(apart-1)
}

// at returns the state of a place.
func (t *states) at(place uint64) *atomics.Uint32 { return &t.words[t.slot(place)] }
