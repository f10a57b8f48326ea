//go:build explore

package atomics

import "sync/atomic"

// RelaxedUint64 and RelaxedUintptr count and diagnose; they are no part of any protocol, and the explorer spends no steps on them.
type (
	RelaxedUint64  struct{ v atomic.Uint64 }
	RelaxedUintptr struct{ v atomic.Uintptr }
)

// Add adds n. One writer at a time.
func (r *RelaxedUint64) Add(n uint64) { r.v.Add(n) }

// Load returns some value stored before.
func (r *RelaxedUint64) Load() uint64 { return r.v.Load() }

// Store sets the word. One writer at a time.
func (r *RelaxedUintptr) Store(v uintptr) { r.v.Store(v) }

// Load returns some value stored before.
func (r *RelaxedUintptr) Load() uintptr { return r.v.Load() }
