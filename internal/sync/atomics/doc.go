// Package atomics is the seam through which every protocol of freerun accesses shared memory.
//
// In a normal build its types are aliases of [sync/atomic]: they cost nothing and mean what Go's
// memory model says. With the build tag explore the same names stand for words with scheduling
// points, and the explorer drives the same code through interleavings of its choice.
//
// A package that uses these names must also import sync/atomic, blank if need be. Go 1.26 compiles
// an atomic operation to its instruction only in packages that import sync/atomic themselves; in
// others it is a call, which doubles the time.
//
// Besides the aliases there are [Plain], a field that is not atomic but part of a protocol, and the
// Relaxed types: words that a single writer stores plainly and that any goroutine may read at any
// time. Their file, relaxed_plain.go, says when they may be used.
package atomics
