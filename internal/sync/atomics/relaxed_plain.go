//go:build gc && (amd64 || arm64) && !race && !freerun_portable && !go1.27 && !explore

package atomics

import (
	"sync/atomic"
	"unsafe"
)

// The Relaxed types are one machine word each. One writer at a time stores it, and any goroutine
// may read it. An atomic store is an exchange on amd64 and costs 6 to 10 ns; a plain store is free.
// They have two uses only:
//
//   - Words whose reader confirms the value later with an atomic compare-and-swap, and drops a
//     value that no longer holds: the slots of a work-stealing deque.
//   - Counters and diagnostics, whose reader accepts an old value. It sees at least the values
//     stored before the operation with which it has synchronised.
//
// Go's memory model defines such reads: a read of a word-sized location observes some value that
// was written to it. Under the race detector, in portable builds, and on machines where a plain
// 64-bit store may tear, the same names are ordinary atomics (relaxed_atomic.go), so the detector
// still sees every access.

// RelaxedPointer is a pointer with relaxed stores. The zero value is nil. It must not be copied
// after first use.
type RelaxedPointer[T any] struct{ p unsafe.Pointer }

// Store sets the pointer. One writer at a time.
func (r *RelaxedPointer[T]) Store(v *T) { r.p = unsafe.Pointer(v) }

// Load returns some value stored before, without ordering.
func (r *RelaxedPointer[T]) Load() *T { return (*T)(r.p) }

// LoadAcquire is Load as an atomic operation: it is ordered with the caller's other atomic
// operations.
func (r *RelaxedPointer[T]) LoadAcquire() *T { return (*T)(atomic.LoadPointer(&r.p)) }

// CompareAndSwap replaces old by v and reports whether it did. Any goroutine may call it; a
// concurrent Store of the writer may undo it.
func (r *RelaxedPointer[T]) CompareAndSwap(old, v *T) bool {
	return atomic.CompareAndSwapPointer(&r.p, unsafe.Pointer(old), unsafe.Pointer(v))
}

// RelaxedWord is an integer with one writer at a time. The zero value is 0. It must not be copied
// after first use. It is generic because Go inlines, in generic code that another package
// instantiates, only generic methods and those of packages imported there.
type RelaxedWord[T uint64 | uintptr] struct{ v T }

// Store sets the word. One writer at a time.
func (r *RelaxedWord[T]) Store(v T) { r.v = v }

// Add adds n. One writer at a time.
func (r *RelaxedWord[T]) Add(n T) { r.v += n }

// Load returns some value stored before, without ordering.
func (r *RelaxedWord[T]) Load() T { return r.v }

// LoadAcquire is Load as an atomic operation: it is ordered with the caller's other atomic
// operations.
func (r *RelaxedWord[T]) LoadAcquire() T {
	// Both types have 64 bits where this file is built.
	return T(atomic.LoadUint64((*uint64)(unsafe.Pointer(&r.v))))
}

type (
	// RelaxedUint64 is a counter with one writer at a time.
	RelaxedUint64 = RelaxedWord[uint64]
	// RelaxedUintptr is a word for diagnostics with one writer at a time.
	RelaxedUintptr = RelaxedWord[uintptr]
	// RelaxedIndex is a word of a protocol with one writer at a time. The reader confirms later the
	// value that it read.
	RelaxedIndex = RelaxedWord[uintptr]
)
