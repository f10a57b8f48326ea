// Package atomics is the seam through which every protocol of freerun touches shared memory.
//
// In a normal build the types here are aliases of [sync/atomic], so they cost nothing and mean exactly what Go's memory
// model says. Because no protocol reaches past this package, another build can put scheduling points behind the same
// names and drive the same code through chosen interleavings.
//
// A package that uses these names must also import sync/atomic, blank if need be: Go 1.26 compiles an atomic operation to its
// instruction only in packages that import sync/atomic themselves, and to a call, of as much time again, in others.
//
// Besides the aliases there are the Relaxed types: one word that a single writer stores plainly and others may read at
// any time. Their file tells when they may be used.
package atomics

import "sync/atomic"

type (
	// Bool is [atomic.Bool].
	Bool = atomic.Bool
	// Int32 is [atomic.Int32].
	Int32 = atomic.Int32
	// Int64 is [atomic.Int64].
	Int64 = atomic.Int64
	// Uint32 is [atomic.Uint32].
	Uint32 = atomic.Uint32
	// Uint64 is [atomic.Uint64].
	Uint64 = atomic.Uint64
	// Uintptr is [atomic.Uintptr].
	Uintptr = atomic.Uintptr
)

// Pointer is [atomic.Pointer].
type Pointer[T any] = atomic.Pointer[T]
