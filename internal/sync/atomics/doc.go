// Package atomics is the seam through which every protocol of freerun touches shared memory.
//
// In a normal build the types here are aliases of [sync/atomic], so they cost nothing and mean exactly what Go's memory
// model says. Because no protocol reaches past this package, another build can put scheduling points behind the same
// names and drive the same code through chosen interleavings: `-tags explore` does.
//
// A package that uses these names must also import sync/atomic, blank if need be: Go 1.26 compiles an atomic operation to its
// instruction only in packages that import sync/atomic themselves, and to a call, of as much time again, in others.
//
// Besides the aliases there are [Plain], a field that is not atomic but part of a protocol, and the Relaxed types: one word that
// a single writer stores plainly and others may read at any time. Their file tells when they may be used.
package atomics
