//go:build gc && (amd64 || arm64) && !race && !freerun_portable && !go1.27 && !explore

package atomics

import (
	"sync/atomic"
	"unsafe"
)

// ReleaseWay is a text for reports: how this build stores a Release word.
const ReleaseWay = "assembly: a plain store, which the processor orders"

// Release is a word whose Store becomes visible after all earlier accesses of its thread. A later
// load of another word may overtake the Store. That suffices to publish data, as the index of a
// ring does. It does not suffice where two threads each store a flag and then load the other's
// flag; use the atomic integers there.
//
// It exists because Go has sequentially consistent stores only. On amd64 such a store is an
// exchange and takes 7 ns; a release store takes 1.2 ns. It is a plain store in assembly: the
// processor keeps stores in order, and the compiler moves no access past a call of assembly. On
// arm64 it is the release instruction. Under the race detector, in portable builds and on other
// machines it is an ordinary atomic (release_atomic.go). The explorer keeps it in a store buffer.
//
// The zero value is 0. It must not be copied after first use. It is generic because Go inlines, in
// generic code that another package instantiates, only generic methods.
type Release[T uint32 | uint64] struct{ v T }

// Load returns the value: an atomic load.
func (r *Release[T]) Load() T {
	if unsafe.Sizeof(r.v) == 8 {
		return T(atomic.LoadUint64((*uint64)(unsafe.Pointer(&r.v))))
	}
	return T(atomic.LoadUint32((*uint32)(unsafe.Pointer(&r.v))))
}

// Store sets the value and publishes the caller's earlier accesses.
func (r *Release[T]) Store(v T) {
	if unsafe.Sizeof(r.v) == 8 {
		storeRelease64((*uint64)(unsafe.Pointer(&r.v)), uint64(v))
	} else {
		storeRelease32((*uint32)(unsafe.Pointer(&r.v)), uint32(v))
	}
}

// Swap sets the value and returns the one before: an atomic exchange.
func (r *Release[T]) Swap(v T) T {
	if unsafe.Sizeof(r.v) == 8 {
		return T(atomic.SwapUint64((*uint64)(unsafe.Pointer(&r.v)), uint64(v)))
	}
	return T(atomic.SwapUint32((*uint32)(unsafe.Pointer(&r.v)), uint32(v)))
}

// CompareAndSwap sets the value to v if it is old, and reports whether it was: an atomic operation.
func (r *Release[T]) CompareAndSwap(old, v T) bool {
	if unsafe.Sizeof(r.v) == 8 {
		return atomic.CompareAndSwapUint64((*uint64)(unsafe.Pointer(&r.v)), uint64(old), uint64(v))
	}
	return atomic.CompareAndSwapUint32((*uint32)(unsafe.Pointer(&r.v)), uint32(old), uint32(v))
}

//go:noescape
func storeRelease32(p *uint32, v uint32)

//go:noescape
func storeRelease64(p *uint64, v uint64)
