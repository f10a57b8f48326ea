//go:build (!gc || !(amd64 || arm64) || race || freerun_portable || go1.27) && !explore

package atomics

import "sync/atomic"

// RelaxedPointer is a pointer with relaxed stores; in this build an atomic one. See
// relaxed_plain.go.
type RelaxedPointer[T any] struct{ p atomic.Pointer[T] }

// Store sets the pointer. One writer at a time.
func (r *RelaxedPointer[T]) Store(v *T) { r.p.Store(v) }

// Load returns some value stored before.
func (r *RelaxedPointer[T]) Load() *T { return r.p.Load() }

// LoadAcquire is Load.
func (r *RelaxedPointer[T]) LoadAcquire() *T { return r.p.Load() }

// CompareAndSwap replaces old by v and reports whether it did. Any goroutine may call it; a
// concurrent Store of the writer may undo it.
func (r *RelaxedPointer[T]) CompareAndSwap(old, v *T) bool { return r.p.CompareAndSwap(old, v) }

// RelaxedWord is an integer with one writer at a time; in this build an atomic one, or one that the
// race detector does not see (word_race.go).
type RelaxedWord[T uint64 | uintptr] struct{ v word }

// Store sets the word. One writer at a time.
func (r *RelaxedWord[T]) Store(v T) { r.v.Store(uint64(v)) }

// Add adds n. One writer at a time.
func (r *RelaxedWord[T]) Add(n T) { r.v.Store(r.v.Load() + uint64(n)) }

// Load returns some value stored before.
func (r *RelaxedWord[T]) Load() T { return T(r.v.Load()) }

// LoadAcquire is Load.
func (r *RelaxedWord[T]) LoadAcquire() T { return T(r.v.Load()) }

type (
	// RelaxedUint64 is a counter with one writer at a time.
	RelaxedUint64 = RelaxedWord[uint64]
	// RelaxedUintptr is a word for diagnostics with one writer at a time.
	RelaxedUintptr = RelaxedWord[uintptr]
	// RelaxedIndex is a word of a protocol with one writer at a time. The reader confirms later the
	// value that it read.
	RelaxedIndex = RelaxedWord[uintptr]
)
