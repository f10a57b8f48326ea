//go:build explore

package atomics

import "sync/atomic"

// RelaxedWord is a word for counters and diagnostics. It is part of no protocol, so its accesses
// are no steps of the explorer.
type RelaxedWord[T uint64 | uintptr] struct{ v atomic.Uint64 }

// Store sets the word. One writer at a time.
func (r *RelaxedWord[T]) Store(v T) { r.v.Store(uint64(v)) }

// Add adds n. One writer at a time.
func (r *RelaxedWord[T]) Add(n T) { r.v.Add(uint64(n)) }

// Load returns some value stored before.
func (r *RelaxedWord[T]) Load() T { return T(r.v.Load()) }

// LoadAcquire is Load.
func (r *RelaxedWord[T]) LoadAcquire() T { return T(r.v.Load()) }

type (
	// RelaxedUint64 is a counter with one writer at a time.
	RelaxedUint64 = RelaxedWord[uint64]
	// RelaxedUintptr is a word for diagnostics with one writer at a time.
	RelaxedUintptr = RelaxedWord[uintptr]
)
