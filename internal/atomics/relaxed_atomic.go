//go:build (!(amd64 || arm64) || race) && !explore

package atomics

import "sync/atomic"

// RelaxedPointer is a pointer with relaxed stores; here it is an ordinary atomic (relaxed_plain.go says why it exists).
type RelaxedPointer[T any] struct{ p atomic.Pointer[T] }

// Store sets the pointer. One writer at a time.
func (r *RelaxedPointer[T]) Store(v *T) { r.p.Store(v) }

// Load returns some value stored before.
func (r *RelaxedPointer[T]) Load() *T { return r.p.Load() }

// LoadAcquire is Load.
func (r *RelaxedPointer[T]) LoadAcquire() *T { return r.p.Load() }

// RelaxedUint64 is a counter with one writer at a time; here it is an ordinary atomic.
type RelaxedUint64 struct{ v atomic.Uint64 }

// Add adds n. One writer at a time.
func (r *RelaxedUint64) Add(n uint64) { r.v.Store(r.v.Load() + n) }

// Load returns some value stored before.
func (r *RelaxedUint64) Load() uint64 { return r.v.Load() }

// RelaxedUintptr is a word for diagnostics with one writer at a time; here it is an ordinary atomic.
type RelaxedUintptr struct{ v atomic.Uintptr }

// Store sets the word. One writer at a time.
func (r *RelaxedUintptr) Store(v uintptr) { r.v.Store(v) }

// Load returns some value stored before.
func (r *RelaxedUintptr) Load() uintptr { return r.v.Load() }
