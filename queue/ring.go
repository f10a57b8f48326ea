package queue

import (
	"fmt"

	"github.com/freerun-go/freerun/internal/room"
)

// ring is the array of a bounded queue; its length is a power of two. Positions count items from
// the first one on and wrap around at 2^64. The low bits of a position say which slot it has.
type ring[S any] []S

// at returns the slot of a position. Its check replaces the one that Go would make, and catches the
// zero value of a queue.
func (r ring[S]) at(position uint64) *S {
	i := position & uint64(len(r)-1)
	if i >= uint64(len(r)) {
		panic("queue: a bounded queue that was not made by its New function has no room")
	}
	return &r[i]
}

// size is the length of the ring, and so the capacity of the queue.
func (r ring[S]) size() uint64 { return uint64(len(r)) }

// newRing returns a ring with room for capacity items. maker is the function that panics name.
func newRing[S any](maker string, capacity int) ring[S] {
	return make(ring[S], sizeOf[S](maker, capacity))
}

// sizeOf returns the length of that ring.
func sizeOf[S any](maker string, capacity int) int {
	if capacity < 1 {
		panic(fmt.Sprintf("queue: %s needs room for at least 1 item, not %d", maker, capacity))
	}
	size, fits := room.Places[S](capacity)
	if !fits {
		panic(fmt.Sprintf("queue: %s cannot make room for %d items", maker, capacity))
	}
	return size
}

// aheadBytes is how far ahead of the slot in use another one is prefetched: far enough for the line
// to arrive in time.
const aheadBytes = 512

// ahead returns that distance in positions, for slots of size bytes. In a ring so short that the
// other side may be at work there, it is 0: the slot itself.
func (r ring[S]) ahead(size uintptr) uint64 {
	n := uint64(max(1, aheadBytes/size))
	if r.size() < 4*n {
		return 0
	}
	return n
}

// past reports whether position end comes after position at. The two must be within half of all
// positions of each other.
func past(end, at uint64) bool { return int64(end-at) > 0 }

// later returns the one of two positions that comes after the other.
func later(a, b uint64) uint64 {
	if past(a, b) {
		return a
	}
	return b
}

// between returns the number of items from head to tail. head was read before tail and both may
// have moved since, so the difference is clamped to what is possible.
func between(head, tail, size uint64) int {
	return int(min(max(int64(tail-head), 0), int64(size)))
}
