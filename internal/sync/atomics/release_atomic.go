//go:build (!gc || !(amd64 || arm64) || race || freerun_portable || go1.27) && !explore

package atomics

import "sync/atomic"

// ReleaseWay is a text for reports: how this build stores a Release word.
const ReleaseWay = "an atomic store"

// Release is a word whose Store publishes; in this build an ordinary atomic. See release_asm.go.
type Release[T uint32 | uint64] struct{ v atomic.Uint64 }

// Load returns the value.
func (r *Release[T]) Load() T { return T(r.v.Load()) }

// Store sets the value and publishes the caller's earlier accesses.
func (r *Release[T]) Store(v T) { r.v.Store(uint64(v)) }

// Swap sets the value and returns the one before.
func (r *Release[T]) Swap(v T) T { return T(r.v.Swap(uint64(v))) }

// CompareAndSwap sets the value to v if it is old, and reports whether it was.
func (r *Release[T]) CompareAndSwap(old, v T) bool {
	return r.v.CompareAndSwap(uint64(old), uint64(v))
}
