package queue

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/freerun-go/freerun/internal/room"
	"github.com/freerun-go/freerun/internal/sys/prefetch"
)

// ring is the slots of a bounded queue; their number is a power of two. Positions count items from
// the first one on and wrap around at 2^64. The low bits of a position say which slot it has.
//
// Slots of up to a line are packed. A longer slot has lines of its own: packed, it would share its
// last line with the next slot, which the other side may be using.
type ring[S any] struct {
	first  unsafe.Pointer // nil in the zero value of a queue
	slots  uint64         // how many
	stride uintptr        // from a slot to the next
}

// at returns the slot of a position. It panics for the zero value of a queue. The index is within
// the array because it is less than slots.
func (r *ring[S]) at(position uint64) *S {
	if r.first == nil {
		panic("queue: a bounded queue that was not made by its New function has no room")
	}
	return (*S)(unsafe.Add(r.first, uintptr(position&(r.slots-1))*r.stride))
}

// size is the number of slots, and so the capacity of the queue.
func (r *ring[S]) size() uint64 { return r.slots }

// newRing returns a ring with room for capacity items. maker is the function that panics name.
func newRing[S any](maker string, capacity int) ring[S] {
	n, stride := sizeOf[S](maker, capacity), strideOf[S]()
	r := ring[S]{slots: uint64(n), stride: stride}
	if rest := stride - unsafe.Sizeof(*new(S)); rest == 0 {
		r.first = unsafe.Pointer(unsafe.SliceData(make([]S, n)))
	} else {
		// Go's collector has to know where the pointers of the items are.
		padded := reflect.StructOf([]reflect.StructField{
			{Name: "Slot", Type: reflect.TypeFor[S]()},
			{Name: "Rest", Type: reflect.ArrayOf(int(rest), reflect.TypeFor[byte]())},
		})
		r.first = reflect.MakeSlice(reflect.SliceOf(padded), n, n).UnsafePointer()
	}
	return r
}

// strideOf returns the distance between two slots of a ring: the size of a slot, or whole lines if
// that is more than one.
func strideOf[S any]() uintptr {
	size := unsafe.Sizeof(*new(S))
	if size <= prefetch.Line {
		return size
	}
	return (size + prefetch.Line - 1) &^ (prefetch.Line - 1)
}

// sizeOf returns the length of that ring.
func sizeOf[S any](maker string, capacity int) int {
	if capacity < 1 {
		panic(fmt.Sprintf("queue: %s needs room for at least 1 item, not %d", maker, capacity))
	}
	size, fits := room.Places[S](capacity)
	if !fits || uint64(strideOf[S]()) > room.Most/uint64(size) {
		panic(fmt.Sprintf("queue: %s cannot make room for %d items", maker, capacity))
	}
	return size
}

// aheadBytes is how far ahead of the slot in use another one is prefetched: far enough for the line
// to arrive in time.
const aheadBytes = 512

// ahead returns that distance in positions. In a ring so short that the other side may be at work
// there, it is 0: the slot itself.
func (r *ring[S]) ahead() uint64 {
	n := uint64(max(1, aheadBytes/r.stride))
	if r.size() < 4*n {
		return 0
	}
	return n
}

// aheadLines is the most lines of a slot that are prefetched; the processor follows by itself.
const aheadLines = 2

// lines returns how many lines of a slot are prefetched.
func (r *ring[S]) lines() int {
	return min(aheadLines, int((r.stride+prefetch.Line-1)/prefetch.Line))
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
