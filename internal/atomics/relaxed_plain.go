//go:build (amd64 || arm64) && !race && !explore

package atomics

import (
	"sync/atomic"
	"unsafe"
)

// The Relaxed types are one machine word each, stored by one writer at a time and readable by anybody. An atomic store
// costs 6 to 10 ns on amd64, where it is an exchange; a plain store is free. They are for two uses only:
//
//   - words whose reader checks afterwards, with an atomic compare-and-swap, that what it read still holds and drops it
//     otherwise: the slots of a work-stealing deque;
//   - counters and diagnostics, whose reader is content with any value that was stored before something it has
//     synchronised with.
//
// Go's memory model defines such reads: a read of a word-sized location observes some value that was written to it.
// Under the race detector, and on machines where a plain 64-bit store may tear, the same names are ordinary atomics
// (relaxed_atomic.go), so the detector still sees every access.

// RelaxedPointer is a pointer with relaxed stores. The zero value is nil. It must not be copied after first use.
type RelaxedPointer[T any] struct{ p unsafe.Pointer }

// Store sets the pointer. One writer at a time.
func (r *RelaxedPointer[T]) Store(v *T) { r.p = unsafe.Pointer(v) }

// Load returns some value stored before, without ordering.
func (r *RelaxedPointer[T]) Load() *T { return (*T)(r.p) }

// LoadAcquire is Load as an atomic operation: it is ordered after the atomic operations that precede it.
func (r *RelaxedPointer[T]) LoadAcquire() *T { return (*T)(atomic.LoadPointer(&r.p)) }

// RelaxedUint64 is a counter with one writer at a time. The zero value is 0. It must not be copied after first use.
type RelaxedUint64 struct{ v uint64 }

// Add adds n. One writer at a time.
func (r *RelaxedUint64) Add(n uint64) { r.v += n }

// Load returns some value stored before, without ordering.
func (r *RelaxedUint64) Load() uint64 { return r.v }

// RelaxedUintptr is a word for diagnostics with one writer at a time. The zero value is 0. It must not be copied after
// first use.
type RelaxedUintptr struct{ v uintptr }

// Store sets the word. One writer at a time.
func (r *RelaxedUintptr) Store(v uintptr) { r.v = v }

// Load returns some value stored before, without ordering.
func (r *RelaxedUintptr) Load() uintptr { return r.v }
